#include <string_view>

#include "cli/attention.h"
#include "cli/attention_page.h"
#include "report/format.h"

namespace latimer::cli {
namespace {

std::string JsonText(const std::vector<AttentionRecord>& records) {
  Json sentences = Json::array();
  for (const AttentionRecord& record : records) {
    Json layers = Json::array();
    const float* next = record.weights.data();
    for (size_t l = 0; l < record.layers; ++l) {
      Json heads = Json::array();
      for (size_t h = 0; h < record.heads; ++h) {
        Json rows = Json::array();
        for (size_t r = 0; r < record.rows.size(); ++r) {
          rows.push_back(std::vector(next, next + record.columns.size()));
          next += record.columns.size();
        }
        heads.push_back(std::move(rows));
      }
      layers.push_back(std::move(heads));
    }
    sentences.push_back({{"rows", record.rows},
                         {"columns", record.columns},
                         {"layers", record.layers},
                         {"heads", record.heads},
                         {"weights", std::move(layers)}});
  }
  const Json file = {
      {"attention", records.empty() ? "none" : NameOf(records[0].kind)},
      {"sentences", std::move(sentences)}};
  return Dump(file, -1) + "\n";
}

std::string HtmlText(const std::vector<AttentionRecord>& records) {
  constexpr std::string_view kPlace = "@ATTENTION_DATA@";
  std::string data;
  // "</script>" must not occur in the data.
  for (const char c : JsonText(records)) {
    c == '<' ? data += "\\u003c" : data += c;
  }
  std::string page = kAttentionPage;
  page.replace(page.find(kPlace), kPlace.size(), data);
  return page;
}

}  // namespace

std::string FormatAttention(const std::vector<AttentionRecord>& records,
                            AttentionFormat format, size_t layer) {
  switch (format) {
    case AttentionFormat::kHtml:
      return HtmlText(records);
    case AttentionFormat::kSvg:
      return AttentionSvg(records, layer);
    case AttentionFormat::kJson:
      return JsonText(records);
  }
  return "";
}

}  // namespace latimer::cli
