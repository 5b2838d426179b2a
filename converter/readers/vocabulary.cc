#include "converter/readers/vocabulary.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "converter/error.h"
#include "converter/readers/compressed.h"
#include "converter/readers/tensor_file.h"
#include "converter/readers/text_file.h"
#include "converter/readers/yaml_file.h"
#include "json/bounded_json.h"
#include "text/utf8.h"

namespace latimer {
namespace {

using Entry = std::pair<std::string, int64_t>;  // A word and its id.

std::optional<int64_t> ParseInteger(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end) return std::nullopt;
  return value;
}

Vocabulary ByIds(std::vector<Entry> entries, const std::string& name) {
  if (entries.empty()) FailIn(name, "the vocabulary has no words");
  const size_t size = entries.size();
  std::vector<std::optional<std::string>> pieces(size);
  std::set<std::string> words;
  for (Entry& entry : entries) {
    std::string& word = entry.first;
    const int64_t id = entry.second;
    if (!words.insert(word).second) FailIn(name, "'", word, "' occurs twice");
    if (id < 0 || static_cast<uint64_t>(id) >= size) {
      FailIn(name, "the id ", id, " of '", word, "' is outside 0 to ", size - 1,
             ", so some id has no piece");
    }
    std::optional<std::string>& slot = pieces[static_cast<size_t>(id)];
    if (slot.has_value()) {
      FailIn(name, "'", word, "' and '", *slot, "' both have the id ", id);
    }
    slot = std::move(word);
  }
  Vocabulary vocabulary{name, {}};
  for (auto& piece : pieces) vocabulary.pieces.push_back(std::move(*piece));
  return vocabulary;
}

// Parses JSON whose objects have no duplicate keys.
nlohmann::json ParseJson(const std::string& text, const std::string& name) {
  BoundedJson read = ReadBoundedJson(text);
  if (read.duplicate) FailIn(name, "'", *read.duplicate, "' occurs twice");
  if (read.error == JsonError::kTooDeep) FailIn(name, "it is nested too deep");
  return std::move(read.value);
}

bool HasTexts(const nlohmann::json& json) {
  return std::all_of(json.begin(), json.end(),
                     [](const auto& value) { return value.is_string(); });
}

// The lines, without a byte order mark.
std::vector<std::string_view> Lines(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return SplitLines(text);
}

// What Python's pickle.dump, joblib and torch.save write.
void RefusePython(const std::filesystem::path& path, std::string_view bytes) {
  const bool pickle = IsPickle(bytes);
  if (!pickle && !IsZip(bytes)) return;
  FailIn(path, pickle ? "is a Python pickle" : "is a zip file",
         ", not a vocabulary; load it in Python, and write a dict of words and "
         "ids with json.dump(words, open(\"words.json\", \"w\"))");
}

// Words with a number after a tab: their ids if they are 0 to n-1, else
// counts or scores, in descending order.
Vocabulary FromNumbers(const std::vector<std::string_view>& lines,
                       const std::string& name) {
  std::vector<Entry> entries;
  std::set<int64_t> ids;
  double last = 0;
  bool falls = true;
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t tab = lines[i].rfind('\t');
    const std::string_view number = lines[i].substr(tab + 1);
    double value = 0;
    const char* end = number.data() + number.size();
    const auto [rest, error] = std::from_chars(number.data(), end, value);
    if (error != std::errc() || rest != end) {
      FailIn(name, "line ", i + 1, ": there is no number after the tab");
    }
    falls = falls && (i == 0 || value <= last);
    last = value;
    const int64_t id = ParseInteger(number).value_or(-1);
    entries.emplace_back(lines[i].substr(0, tab), id);
    if (id >= 0 && static_cast<size_t>(id) < lines.size()) ids.insert(id);
  }
  if (ids.size() == lines.size()) return ByIds(std::move(entries), name);
  if (!falls) {
    FailIn(name, "the numbers after the tabs are neither ids from 0 to ",
           lines.size() - 1,
           ", each once, nor counts that fall; leave them out if the line is "
           "the id");
  }
  std::vector<std::string> words;
  words.reserve(entries.size());
  for (Entry& entry : entries) words.push_back(std::move(entry.first));
  return VocabularyInOrder(std::move(words), name);
}

}  // namespace

std::optional<int32_t> Vocabulary::Find(std::string_view piece) const {
  const auto found = std::find(pieces.begin(), pieces.end(), piece);
  if (found == pieces.end()) return std::nullopt;
  return static_cast<int32_t>(found - pieces.begin());
}

Vocabulary VocabularyInOrder(std::vector<std::string> words,
                             const std::string& name) {
  std::vector<Entry> entries;
  for (std::string& word : words) {
    const auto id = static_cast<int64_t>(entries.size());
    entries.emplace_back(std::move(word), id);
  }
  return ByIds(std::move(entries), name);
}

Vocabulary ParseJsonVocabulary(const std::string& json,
                               const std::string& name) {
  const nlohmann::json parsed = ParseJson(json, name);
  if (parsed.empty() || !parsed.is_structured()) {
    FailIn(name,
           "not a vocabulary: an object of pieces with their ids is expected, "
           "or a list of pieces");
  }
  if (parsed.is_array()) {
    if (!HasTexts(parsed)) FailIn(name, "an entry of the list is not a text");
    return VocabularyInOrder(parsed.get<std::vector<std::string>>(), name);
  }
  std::vector<Entry> entries;
  const bool inverted = HasTexts(parsed);
  for (const auto& [key, value] : parsed.items()) {
    if (inverted) {
      const std::optional<int64_t> id = ParseInteger(key);
      if (!id.has_value()) {
        FailIn(name, "the id '", key, "' of '", value.get<std::string>(),
               "' is not a number");
      }
      entries.emplace_back(value.get<std::string>(), *id);
    } else {
      if (!value.is_number_integer()) {
        FailIn(name, "the id of '", key, "' is not a number");
      }
      entries.emplace_back(key, value.get<int64_t>());
    }
  }
  return ByIds(std::move(entries), name);
}

Vocabulary ParseYamlVocabulary(const std::string& yaml,
                               const std::string& name) {
  const YamlNode root = ParseYaml(yaml, name);
  const auto fail = [&name](const YamlNode& node, const auto&... what) {
    FailIn(name, "line ", node.line, ": ", what...);
  };
  if (root.kind == YamlNode::Kind::kScalar) {
    FailIn(name,
           "not a vocabulary: pieces with their ids are expected, or a list of "
           "pieces");
  }
  if (root.kind == YamlNode::Kind::kSequence) {
    std::vector<std::string> words;
    for (const YamlNode& node : root.values) {
      if (node.kind != YamlNode::Kind::kScalar)
        fail(node, "a list of words has something else");
      words.push_back(node.text);
    }
    return VocabularyInOrder(std::move(words), name);
  }
  std::vector<Entry> entries;
  for (size_t i = 0; i < root.keys.size(); ++i) {
    const std::optional<int64_t> id = ParseInteger(root.values[i].text);
    if (!id.has_value()) {
      fail(root.values[i], "the id of '", root.keys[i], "' is not a number");
    }
    entries.emplace_back(root.keys[i], *id);
  }
  return ByIds(std::move(entries), name);
}

Vocabulary ParseTextVocabulary(const std::string& text,
                               const std::string& name) {
  const std::vector<std::string_view> lines = Lines(text);
  size_t tabs = 0;
  std::vector<std::string> words;
  for (const std::string_view line : lines) {
    words.emplace_back(line);
    const std::string place = "line " + std::to_string(words.size());
    if (line.empty() || line.starts_with('\t')) {
      FailIn(name, place, " is empty");
    }
    if (!IsUtf8(line)) FailIn(name, place, " is not UTF-8");
    tabs += line.find('\t') != line.npos ? 1 : 0;
  }
  if (tabs > 0 && tabs == lines.size()) return FromNumbers(lines, name);
  return VocabularyInOrder(std::move(words), name);
}

Vocabulary ReadVocabulary(const std::filesystem::path& path) {
  const std::string text = ReadTextFile(path);
  RefusePython(path, text);
  const std::string ending =
      std::filesystem::path(UnpackedName(path)).extension().string();
  if (ending == ".json") return ParseJsonVocabulary(text, path.string());
  if (ending == ".yml" || ending == ".yaml") {
    return ParseYamlVocabulary(text, path.string());
  }
  return ParseTextVocabulary(text, path.string());
}

}  // namespace latimer
