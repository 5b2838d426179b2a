// Flags of a map, in addition to those that JsonFields reads.
#ifndef LATIMER_CONVERTER_READERS_MAP_FIELDS_H_
#define LATIMER_CONVERTER_READERS_MAP_FIELDS_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/readers/json_fields.h"

namespace latimer {

// The flags that maps of all architectures have.
inline constexpr std::string_view kCommonFlags[] = {
    "architecture",      "base",
    "tensors",           "ignore",
    "optional_bias",     "prefix",
    "max_source_tokens", "max_target_tokens",
    "source_ids",        "target_ids",
    "source_prefix",     "source_suffix",
    "decoder_start",     "source_vocabulary",
    "target_vocabulary",
};

// A field that is one of several words. Throws ConversionError for any other,
// and for an absent field without a fallback.
template <typename T>
T Choice(const JsonFields& fields, std::string_view name,
         const std::vector<std::pair<std::string_view, T>>& words,
         std::optional<T> fallback = std::nullopt) {
  const nlohmann::json* value = fields.Find(name);
  if (value == nullptr && fallback) return *fallback;
  // true and false are written without quotes.
  const std::string text = value == nullptr      ? ""
                           : value->is_string()  ? value->get<std::string>()
                           : value->is_boolean() ? value->dump()
                                                 : "";
  std::string list;
  for (const auto& [word, meaning] : words) {
    if (text == word) return meaning;
    list += (list.empty() ? "" : ", ") + std::string(word);
  }
  fields.Fail(name, "it must be one of ", list);
}

// Throws ConversionError if the field is absent.
inline void DemandFlag(const JsonFields& fields, std::string_view name,
                       const std::string& why) {
  if (!fields.Has(name)) fields.Fail(name, why);
}

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAP_FIELDS_H_
