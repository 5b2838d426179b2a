// JSON that strangers wrote, as nlohmann's values: in time that grows as its
// length, and within limits, which are counted by the parser itself. (With a
// callback, nlohmann's parser takes time that grows as its square.)
#ifndef LATIMER_JSON_BOUNDED_JSON_H_
#define LATIMER_JSON_BOUNDED_JSON_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace latimer {

struct JsonLimits {
  // Of arrays and objects in each other. Copying and writing JSON recurse, so
  // what can be parsed may still be nested too deeply for them.
  size_t depth = 100;
  size_t values = std::numeric_limits<size_t>::max();
  bool comments = false;  // Those of C and C++ are white space.
};

enum class JsonError : uint8_t { kNone, kNotJson, kTooDeep, kTooManyValues };

struct BoundedJson {
  nlohmann::json value;  // Discarded if there is an error.
  JsonError error = JsonError::kNone;
  size_t error_byte = 0;  // Of kNotJson: how many bytes were read.
  // The first name that an object has twice, whose last value counts.
  std::optional<std::string> duplicate;
};

// What nlohmann's parser calls. It stops where one of these is false.
class BoundedJsonBuilder {
 public:
  using Json = nlohmann::json;

  BoundedJsonBuilder(const JsonLimits& limits, BoundedJson* out)
      : limits_(limits), out_(*out) {}

  bool null() { return Add(nullptr) != nullptr; }
  bool boolean(bool value) { return Add(value) != nullptr; }
  bool number_integer(int64_t value) { return Add(value) != nullptr; }
  bool number_unsigned(uint64_t value) { return Add(value) != nullptr; }
  bool number_float(double value, const std::string&) {
    return Add(value) != nullptr;
  }
  bool string(std::string& value) { return Add(std::move(value)) != nullptr; }
  bool binary(Json::binary_t&) { return false; }  // JSON has none.
  bool start_object(size_t) { return Open(Json::object()); }
  bool start_array(size_t) { return Open(Json::array()); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }
  bool key(std::string& name) {
    auto& members = open_.back()->get_ref<Json::object_t&>();
    const auto [member, is_new] = members.try_emplace(std::move(name));
    if (!is_new && !out_.duplicate.has_value()) out_.duplicate = member->first;
    member_ = &member->second;
    return true;
  }
  bool parse_error(size_t byte, const std::string&, const Json::exception&) {
    out_.error_byte = byte;
    return Fail(JsonError::kNotJson);
  }

 private:
  bool Fail(JsonError error) {
    out_.error = error;
    return false;
  }

  // Where it is now; null if it is one too many.
  Json* Add(Json&& value) {
    if (++values_ > limits_.values) {
      Fail(JsonError::kTooManyValues);
      return nullptr;
    }
    Json* to = &out_.value;
    if (!open_.empty() && open_.back()->is_array()) {
      to = &open_.back()->emplace_back();
    } else if (!open_.empty()) {
      to = member_;
    }
    *to = std::move(value);
    return to;
  }

  bool Open(Json&& empty) {
    if (open_.size() == limits_.depth) return Fail(JsonError::kTooDeep);
    Json* const added = Add(std::move(empty));
    if (added == nullptr) return false;
    open_.push_back(added);
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  const JsonLimits limits_;
  BoundedJson& out_;
  std::vector<Json*> open_;  // Arrays and objects, the innermost last.
  Json* member_ = nullptr;   // Of the innermost object: that of the last name.
  size_t values_ = 0;
};

inline BoundedJson ReadBoundedJson(std::string_view text,
                                   const JsonLimits& limits = {}) {
  BoundedJson out;
  BoundedJsonBuilder builder(limits, &out);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder,
                            nlohmann::json::input_format_t::json,
                            /*strict=*/true, limits.comments);
  if (out.error != JsonError::kNone) {
    out.value = nlohmann::json(nlohmann::json::value_t::discarded);
  }
  return out;
}

}  // namespace latimer

#endif  // LATIMER_JSON_BOUNDED_JSON_H_
