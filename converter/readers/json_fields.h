// JSON from untrusted files, and its fields, with errors that name file and
// field.
#ifndef LATIMER_CONVERTER_READERS_JSON_FIELDS_H_
#define LATIMER_CONVERTER_READERS_JSON_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/error.h"

namespace latimer {

// The value; discarded if `text` is not JSON or nested more than 100 deep.
nlohmann::json ParseJsonText(std::string_view text);

// A field that is null counts as absent. All readers throw ConversionError if a
// value has the wrong type or range.
class JsonFields {
 public:
  // Nothing if there is no such file.
  static std::optional<JsonFields> Open(const std::filesystem::path& path);

  // Fields from another source, which errors call `name`. Precondition: `json`
  // is an object.
  static JsonFields From(std::filesystem::path name, nlohmann::json json) {
    return {std::move(name), std::move(json)};
  }

  // Null if the field is absent.
  const nlohmann::json* Find(std::string_view name) const;
  bool Has(std::string_view name) const { return Find(name) != nullptr; }

  std::string Text(std::string_view name, const std::string& fallback) const;
  bool Bool(std::string_view name, bool fallback) const;
  // A whole number in [minimum, 2^31).
  uint32_t Count(std::string_view name, uint32_t fallback,
                 int64_t minimum = 0) const;
  // A token id in [0, vocabulary); a list of one counts as that one.
  std::optional<int32_t> Token(std::string_view name,
                               uint32_t vocabulary) const;

  // A list of such ids; empty if the field is absent.
  std::vector<int32_t> Tokens(std::string_view name, uint32_t vocabulary) const;

  // A list of strings; empty if the field is absent.
  std::vector<std::string> Texts(std::string_view name) const;
  // A field that is one of several words. Throws ConversionError for any other,
  // and for an absent field without a fallback.
  template <typename T>
  T Choice(std::string_view name,
           const std::vector<std::pair<std::string_view, T>>& words,
           std::optional<T> fallback = std::nullopt) const {
    const nlohmann::json* value = Find(name);
    if (value == nullptr && fallback) return *fallback;
    // true and false are written without quotes.
    const std::string text = value == nullptr      ? ""
                             : value->is_string()  ? value->get<std::string>()
                             : value->is_boolean() ? value->dump()
                                                   : "";
    for (const auto& [word, meaning] : words) {
      if (text == word) return meaning;
    }
    Fail(name, "it must be one of ",
         Joined(words, &std::pair<std::string_view, T>::first));
  }
  // Throws ConversionError if the field is absent.
  void Demand(std::string_view name, std::string_view why) const {
    if (!Has(name)) Fail(name, why);
  }
  // A nested object, empty if the field is absent; its errors include its name.
  JsonFields Object(std::string_view name) const;
  // Throws ConversionError if there is a field with another name.
  void RefuseOthers(std::span<const std::string_view> known) const;

  static bool IsToken(const nlohmann::json& id, uint32_t vocabulary);

  // "FILE: NAME is VALUE; WHY."
  template <typename... Parts>
  [[noreturn]] void Fail(std::string_view name, const Parts&... why) const {
    FailIn(path_, name, " is ", ValueText(name), "; ", why...);
  }

  const nlohmann::json& json() const { return json_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  // The value as a message shows it.
  std::string ValueText(std::string_view name) const;

  JsonFields(std::filesystem::path path, nlohmann::json json)
      : path_(std::move(path)), json_(std::move(json)) {}

  std::filesystem::path path_;
  nlohmann::json json_;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_JSON_FIELDS_H_
