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

// A variable of a pattern in its braces: {head}, {layer} or {2*layer+1}. What
// stands for it is factor * number + offset.
struct Variable {
  std::string_view text;
  size_t at = 0;
  bool is_head = false;
  uint32_t factor = 1;
  uint32_t offset = 0;

  size_t end() const { return at + text.size(); }
  uint64_t Of(uint32_t layer, uint32_t head) const {
    return uint64_t{factor} * (is_head ? head : layer) + offset;
  }
};

// A number of up to three digits that is not 0.
std::optional<uint32_t> SmallNumber(std::string_view digits) {
  uint32_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, number);
  const bool good = parsed.ec == std::errc() && parsed.ptr == end &&
                    digits.size() <= 3 && number > 0;
  return good ? std::optional(number) : std::nullopt;
}

// The variable that is `braced`, if it is one.
std::optional<Variable> AsVariable(std::string_view braced) {
  Variable variable = {.text = braced};
  if (braced == kHead) {
    variable.is_head = true;
    return variable;
  }
  std::string_view inside = braced.substr(1, braced.size() - 2);
  if (const size_t star = inside.find('*'); star != inside.npos) {
    const auto factor = SmallNumber(inside.substr(0, star));
    if (!factor) return std::nullopt;
    variable.factor = *factor;
    inside.remove_prefix(star + 1);
  }
  if (const size_t plus = inside.find('+'); plus != inside.npos) {
    const auto offset = SmallNumber(inside.substr(plus + 1));
    if (!offset) return std::nullopt;
    variable.offset = *offset;
    inside = inside.substr(0, plus);
  }
  return inside == "layer" ? std::optional(variable) : std::nullopt;
}

// The first variable of a pattern of ExpandChoices, from `from` on.
std::optional<Variable> FindVariable(std::string_view pattern, size_t from) {
  const size_t open = pattern.find('{', from);
  if (open == pattern.npos) return std::nullopt;
  const size_t close = pattern.find('}', open);
  if (close == pattern.npos) return std::nullopt;
  std::optional<Variable> variable =
      AsVariable(pattern.substr(open, close + 1 - open));
  if (!variable) return FindVariable(pattern, open + 1);
  variable->at = open;
  return variable;
}

// The options between the braces; empty for a variable.
std::vector<std::string_view> Options(std::string_view braced,
                                      std::string_view pattern) {
  if (AsVariable(braced)) return {};
  std::string_view inside = braced.substr(1, braced.size() - 2);
  if (inside.find('|') == std::string_view::npos ||
      inside.find('{') != std::string_view::npos) {
    FailWith("\"", pattern, "\": ", braced,
             " is neither {layer} nor {head} nor a choice {one|other}, nor a "
             "number such as {2*layer+1}.");
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

bool HasLayerNumber(std::string_view pattern) {
  for (auto found = FindVariable(pattern, 0); found;
       found = FindVariable(pattern, found->end())) {
    if (!found->is_head) return true;
  }
  return false;
}

std::string FillIn(std::string_view pattern, uint32_t layer, uint32_t head) {
  std::string name;
  size_t done = 0;
  while (const auto found = FindVariable(pattern, done)) {
    name += pattern.substr(done, found->at - done);
    name += std::to_string(found->Of(layer, head));
    done = found->end();
  }
  return name.append(pattern.substr(done));
}

std::optional<uint32_t> NumberIn(std::string_view name,
                                 std::string_view pattern,
                                 std::string_view variable) {
  const bool is_layer = variable == kLayer;
  auto found = FindVariable(pattern, 0);
  while (found && found->is_head == is_layer) {
    found = FindVariable(pattern, found->end());
  }
  if (!found) return std::nullopt;
  const std::string before = FillIn(pattern.substr(0, found->at), 0, 0);
  if (before.size() >= name.size() || !name.starts_with(before)) {
    return std::nullopt;
  }
  uint32_t written = 0;
  const char* end = name.data() + name.size();
  const auto parsed =
      std::from_chars(name.data() + before.size(), end, written);
  if (parsed.ec != std::errc() || written < found->offset) return std::nullopt;
  const uint32_t number = (written - found->offset) / found->factor;
  if (number >= kMaxNumber) return std::nullopt;
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
