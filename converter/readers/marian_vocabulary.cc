#include "converter/readers/marian_vocabulary.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "converter/error.h"
#include "converter/readers/text_file.h"

namespace latimer {

Vocabulary ParseVocabulary(const std::string& json, const std::string& name) {
  const auto fail = [&name](const std::string& what) {
    throw ConversionError(name + ": " + what + ".");
  };
  const auto object = nlohmann::json::parse(json, nullptr, false);
  if (!object.is_object() || object.empty()) {
    fail("not a vocabulary: an object of pieces with their ids is expected");
  }
  const size_t size = object.size();
  std::vector<std::optional<std::string>> pieces(size);
  for (const auto& [piece, id] : object.items()) {
    if (!id.is_number_integer()) fail("the id of '" + piece + "' is no number");
    const int64_t value = id.get<int64_t>();
    if (value < 0 || static_cast<uint64_t>(value) >= size) {
      fail("the id " + std::to_string(value) + " of '" + piece +
           "' is outside 0 to " + std::to_string(size - 1) +
           ", so some id has no piece");
    }
    std::optional<std::string>& slot = pieces[static_cast<size_t>(value)];
    if (slot.has_value()) {
      fail("'" + piece + "' and '" + *slot + "' both have the id " +
           std::to_string(value));
    }
    slot = piece;
  }
  Vocabulary vocabulary{name, {}};
  for (auto& piece : pieces) vocabulary.pieces.push_back(std::move(*piece));
  return vocabulary;
}

Vocabulary ReadVocabulary(const std::filesystem::path& path) {
  return ParseVocabulary(ReadTextFile(path), path.string());
}

}  // namespace latimer
