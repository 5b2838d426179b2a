#include <string_view>

#include "cli/attention.h"
#include "cli/attention_page.h"

namespace latimer::cli {

std::string AttentionHtml(const std::vector<AttentionRecord>& records) {
  constexpr std::string_view kPlace = "@ATTENTION_DATA@";
  std::string data;
  // No "</script>" may stand in the data.
  for (const char c : AttentionJson(records)) {
    if (c == '<') {
      data += "\\u003c";
    } else {
      data += c;
    }
  }
  std::string page = kAttentionPage;
  page.replace(page.find(kPlace), kPlace.size(), data);
  return page;
}

}  // namespace latimer::cli
