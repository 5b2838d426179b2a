#include "converter/readers/marian_options.h"

#include <charconv>
#include <optional>
#include <utility>

#include "converter/error.h"

namespace latimer {
namespace {

constexpr uint32_t kMaxCount = 0x7fffffff;

std::optional<uint32_t> ParseCount(const std::string& text) {
  uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || value > kMaxCount) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

MarianOptions::MarianOptions(YamlNode root, std::string name)
    : root_(std::move(root)), name_(std::move(name)) {
  if (root_.kind != YamlNode::Kind::kMap) FailIn(name_, "holds no options");
}

bool MarianOptions::Has(std::string_view option) const {
  return root_.Find(option) != nullptr;
}

std::string MarianOptions::Text(std::string_view option,
                                const std::string& fallback) const {
  const YamlNode* value = root_.Find(option);
  if (value == nullptr) return fallback;
  if (value->kind != YamlNode::Kind::kScalar) Fail(option, "it must be a text");
  return value->text;
}

bool MarianOptions::Bool(std::string_view option, bool fallback) const {
  const std::string text = Text(option, fallback ? "true" : "false");
  if (text != "true" && text != "false") {
    Fail(option, "it must be true or false");
  }
  return text == "true";
}

uint32_t MarianOptions::Count(std::string_view option, uint32_t fallback,
                              uint32_t minimum, uint32_t maximum) const {
  if (!Has(option)) return fallback;
  const std::optional<uint32_t> count = ParseCount(Text(option, ""));
  if (!count || *count < minimum || *count > maximum) {
    Fail(option, "it must be a whole number from ", minimum, " to ", maximum);
  }
  return *count;
}

std::vector<std::string> MarianOptions::List(std::string_view option) const {
  const YamlNode* value = root_.Find(option);
  if (value == nullptr) return {};
  if (value->kind == YamlNode::Kind::kScalar) return {value->text};
  std::vector<std::string> texts;
  if (value->kind == YamlNode::Kind::kMap) Fail(option, "it must be a list");
  for (const YamlNode& item : value->values) {
    if (item.kind != YamlNode::Kind::kScalar) {
      Fail(option, "it must be a list of texts");
    }
    texts.push_back(item.text);
  }
  return texts;
}

std::vector<uint32_t> MarianOptions::Counts(std::string_view option) const {
  std::vector<uint32_t> counts;
  for (const std::string& text : List(option)) {
    const std::optional<uint32_t> count = ParseCount(text);
    if (!count) Fail(option, "it must be a list of whole numbers");
    counts.push_back(*count);
  }
  return counts;
}

std::string MarianOptions::ValueText(std::string_view option) const {
  const YamlNode* value = root_.Find(option);
  if (value == nullptr) return "absent";
  if (value->kind == YamlNode::Kind::kMap) return "a map";
  if (value->kind == YamlNode::Kind::kScalar) {
    return '"' + Printable(value->text) + '"';
  }
  return Printable(Concat("[", Joined(value->values, &YamlNode::text), "]"));
}

}  // namespace latimer
