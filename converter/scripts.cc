#include "converter/scripts.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "converter/error.h"
#include "converter/script_table.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// ISO 15924 codes for combinations of the scripts that Unicode distinguishes.
constexpr std::pair<std::string_view, std::string_view> kCombined[] = {
    {"Hanb", "Hani,Bopo"}, {"Hans", "Hani"},           {"Hant", "Hani"},
    {"Hrkt", "Hira,Kana"}, {"Jpan", "Hani,Hira,Kana"}, {"Kore", "Hang,Hani"},
};

std::string KnownCodes() {
  std::vector<std::string> codes(std::begin(kScriptCodes),
                                 std::end(kScriptCodes));
  for (const auto& [code, parts] : kCombined) codes.emplace_back(code);
  std::ranges::sort(codes);
  return Joined(codes);
}

// The index of kScriptCodes, or -1 for none.
int ScriptOf(uint32_t code_point) {
  const auto* range = std::ranges::lower_bound(kScriptRanges, code_point, {},
                                               &ScriptRange::last);
  const bool inside =
      range != std::end(kScriptRanges) && range->first <= code_point;
  return inside ? range->script : -1;
}

}  // namespace

ScriptSet::ScriptSet(std::string_view codes) {
  while (true) {
    const size_t comma = codes.find(',');
    const std::string_view code = codes.substr(0, comma);
    if (!Add(code)) {
      FailWith("Script '", code, "' is unknown; the codes are ", KnownCodes(),
               ".");
    }
    if (comma == codes.npos) return;
    codes.remove_prefix(comma + 1);
  }
}

bool ScriptSet::Add(std::string_view code) {
  for (const auto& [combined, parts] : kCombined) {
    if (code != combined) continue;
    scripts_ |= ScriptSet(parts).scripts_;
    return true;
  }
  const auto* found = std::ranges::find(kScriptCodes, code);
  if (found == std::end(kScriptCodes)) return false;
  scripts_.set(static_cast<size_t>(found - std::begin(kScriptCodes)));
  return true;
}

bool ScriptSet::Covers(std::string_view text) const {
  for (size_t i = 0; i < text.size();) {
    const Utf8Char c = FirstChar(From(text, i));
    i += std::max<size_t>(c.bytes, 1);
    const int script = c.bytes == 0 ? -1 : ScriptOf(c.code_point);
    if (script >= 0 && !scripts_.test(static_cast<size_t>(script))) {
      return false;
    }
  }
  return true;
}

}  // namespace latimer
