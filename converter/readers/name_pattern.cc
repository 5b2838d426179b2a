#include "converter/readers/name_pattern.h"

#include <charconv>

#include "converter/error.h"

namespace latimer {
namespace {

constexpr std::string_view kLayer = "{layer}";
constexpr std::string_view kHead = "{head}";
// More names than any sensible pattern stands for.
constexpr size_t kMaxNames = 1000;
// Larger numbers are not numbers of layers or heads.
constexpr uint32_t kMaxNumber = 1000;

void ReplaceAll(std::string& text, std::string_view what,
                const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

// The options between the braces; empty for a variable.
std::vector<std::string_view> Options(std::string_view braced,
                                      std::string_view pattern) {
  if (braced == kLayer || braced == kHead) return {};
  std::string_view inside = braced.substr(1, braced.size() - 2);
  if (inside.find('|') == std::string_view::npos ||
      inside.find('{') != std::string_view::npos) {
    FailWith("\"", pattern, "\": ", braced,
             " is neither {layer} nor {head} nor a choice {one|other}.");
  }
  std::vector<std::string_view> options;
  for (size_t end = inside.find('|'); end != std::string_view::npos;
       end = inside.find('|')) {
    options.push_back(inside.substr(0, end));
    inside.remove_prefix(end + 1);
  }
  options.push_back(inside);
  return options;
}

}  // namespace

std::vector<std::string> ExpandChoices(std::string_view pattern) {
  std::vector<std::string> names = {""};
  const auto append = [&](const std::vector<std::string_view>& options) {
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string_view option : options) {
        longer.push_back(name + std::string(option));
      }
    }
    names = std::move(longer);
    if (names.size() > kMaxNames) {
      FailWith("\"", pattern, "\": its choices give more than ", kMaxNames,
               " names.");
    }
  };
  std::string_view rest = pattern;
  while (!rest.empty()) {
    const size_t open = rest.find_first_of("{}");
    append({rest.substr(0, open)});
    if (open == std::string_view::npos) break;
    rest.remove_prefix(open);
    const size_t close = rest.find('}');
    if (rest.front() == '}' || close == std::string_view::npos) {
      FailWith("\"", pattern, "\": a brace has no partner.");
    }
    const std::string_view braced = rest.substr(0, close + 1);
    const std::vector<std::string_view> options = Options(braced, pattern);
    append(options.empty() ? std::vector{braced} : options);
    rest.remove_prefix(close + 1);
  }
  return names;
}

std::string FillIn(std::string_view pattern, uint32_t layer, uint32_t head) {
  std::string name(pattern);
  ReplaceAll(name, kLayer, std::to_string(layer));
  ReplaceAll(name, kHead, std::to_string(head));
  return name;
}

std::optional<uint32_t> NumberIn(std::string_view name,
                                 std::string_view pattern,
                                 std::string_view variable) {
  const std::string before =
      FillIn(pattern.substr(0, pattern.find(variable)), 0, 0);
  if (before.size() >= name.size() || !name.starts_with(before)) {
    return std::nullopt;
  }
  uint32_t number = 0;
  const char* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + before.size(), end, number);
  if (parsed.ec != std::errc() || number >= kMaxNumber) return std::nullopt;
  const bool is_layer = variable == kLayer;
  const std::string whole =
      FillIn(pattern, is_layer ? number : 0, is_layer ? 0 : number);
  return whole == name ? std::optional(number) : std::nullopt;
}

bool MatchesWildcard(std::string_view pattern, std::string_view text) {
  // Where the last `*` is, and where the text that it matches ends so far.
  size_t p = 0, t = 0, star = std::string_view::npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace latimer
