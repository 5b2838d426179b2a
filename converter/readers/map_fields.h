// Flags of a map, in addition to those that JsonFields reads.
#ifndef LATIMER_CONVERTER_READERS_MAP_FIELDS_H_
#define LATIMER_CONVERTER_READERS_MAP_FIELDS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/readers/json_fields.h"

namespace latimer {

// A field that is one of several words. Throws ConversionError for any other.
template <typename T>
T Choice(const JsonFields& fields, std::string_view name, T fallback,
         const std::vector<std::pair<std::string_view, T>>& words) {
  const nlohmann::json* value = fields.Find(name);
  if (value == nullptr) return fallback;
  // true and false are written as such.
  const std::string text = value->is_string()    ? value->get<std::string>()
                           : value->is_boolean() ? value->dump()
                                                 : "";
  std::string list;
  for (const auto& [word, meaning] : words) {
    if (text == word) return meaning;
    list += (list.empty() ? "" : ", ") + std::string(word);
  }
  fields.Fail(name, "it must be one of " + list);
}

// Throws ConversionError if the field is absent.
inline void DemandFlag(const JsonFields& fields, std::string_view name,
                       const std::string& why) {
  if (!fields.Has(name)) fields.Fail(name, why);
}

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAP_FIELDS_H_
