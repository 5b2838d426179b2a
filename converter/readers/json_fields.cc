#include "converter/readers/json_fields.h"

#include <algorithm>
#include <fstream>
#include <limits>

#include "converter/error.h"
#include "converter/readers/text_file.h"
#include "json/bounded_json.h"

namespace latimer {

namespace {
using Json = nlohmann::json;
}

nlohmann::json ParseJsonText(std::string_view text) {
  return ReadBoundedJson(text).value;
}

std::optional<JsonFields> JsonFields::Open(const std::filesystem::path& path) {
  if (!FileExists(path)) return std::nullopt;
  Json json = ParseJsonText(ReadTextFile(path));
  if (!json.is_object()) FailIn(path, "not a JSON object");
  return JsonFields(path, std::move(json));
}

const Json* JsonFields::Find(std::string_view name) const {
  const auto found = json_.find(name);
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

std::string JsonFields::ValueText(std::string_view name) const {
  const Json* value = Find(name);
  if (value == nullptr) return "missing";
  // Text from a command line may not be UTF-8.
  return value->dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string JsonFields::Text(std::string_view name,
                             const std::string& fallback) const {
  const Json* value = Find(name);
  if (value == nullptr) return fallback;
  if (!value->is_string()) Fail(name, "it must be a string");
  return value->get<std::string>();
}

bool JsonFields::Bool(std::string_view name, bool fallback) const {
  const Json* value = Find(name);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) Fail(name, "it must be true or false");
  return value->get<bool>();
}

uint32_t JsonFields::Count(std::string_view name, uint32_t fallback,
                           int64_t minimum) const {
  const Json* value = Find(name);
  if (value == nullptr) return fallback;
  if (!value->is_number_integer() || value->get<int64_t>() < minimum ||
      value->get<int64_t>() > std::numeric_limits<int32_t>::max()) {
    Fail(name, "it must be a whole number of at least ", minimum);
  }
  return value->get<uint32_t>();
}

std::optional<int32_t> JsonFields::Token(std::string_view name,
                                         uint32_t vocabulary) const {
  const Json* value = Find(name);
  if (value == nullptr) return std::nullopt;
  const Json& id =
      value->is_array() && value->size() == 1 ? value->at(0) : *value;
  if (!IsToken(id, vocabulary)) {
    Fail(name, "it must be one id of the target vocabulary of ", vocabulary);
  }
  return id.get<int32_t>();
}

std::vector<int32_t> JsonFields::Tokens(std::string_view name,
                                        uint32_t vocabulary) const {
  const Json* value = Find(name);
  if (value == nullptr) return {};
  if (!value->is_array() || !std::ranges::all_of(*value, [&](const Json& id) {
        return IsToken(id, vocabulary);
      })) {
    Fail(name, "it must list ids of the target vocabulary");
  }
  return value->get<std::vector<int32_t>>();
}

std::vector<std::string> JsonFields::Texts(std::string_view name) const {
  const Json* value = Find(name);
  if (value == nullptr) return {};
  if (!value->is_array() || !std::ranges::all_of(*value, &Json::is_string)) {
    Fail(name, "it must be a list of strings");
  }
  return value->get<std::vector<std::string>>();
}

JsonFields JsonFields::Object(std::string_view name) const {
  const Json* value = Find(name);
  if (value != nullptr && !value->is_object()) {
    Fail(name, "it must be an object {...}");
  }
  return From(path_.string() + ": " + std::string(name),
              value == nullptr ? Json::object() : *value);
}

void JsonFields::RefuseOthers(std::span<const std::string_view> known) const {
  for (const auto& [name, value] : json_.items()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    FailIn(path_, name, " is unknown; there are ", Joined(known));
  }
}

bool JsonFields::IsToken(const Json& id, uint32_t vocabulary) {
  return id.is_number_integer() && id.get<int64_t>() >= 0 &&
         id.get<int64_t>() < int64_t{vocabulary};
}

}  // namespace latimer
