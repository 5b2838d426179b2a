// BLEU and chrF, beside sacrebleu's.
// Tests converter/text_metrics.cc.
#include "converter/text_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "text/utf8.h"

namespace latimer::text_metrics_test {

using nlohmann::json;

// The values of sacrebleu 2.6.0; see tests/reference/make_text_metrics.py.
std::vector<json> Rows() {
  std::ifstream file(LATIMER_SOURCE_DIR "/tests/data/text_metrics.jsonl");
  std::vector<json> rows;
  for (std::string line; std::getline(file, line);) {
    rows.push_back(json::parse(line));
  }
  EXPECT_GT(rows.size(), 100u);
  return rows;
}

std::u32string Decode(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const Utf8Char c = FirstChar(text);
    out.push_back(c.code_point);
    text.remove_prefix(c.bytes);
  }
  return out;
}

constexpr double kNear = 1e-9;

TEST(TextMetricsTest, CutsWordsAsTokenizer13a) {
  for (const json& row : Rows()) {
    if (!row.contains("words")) continue;
    for (size_t i = 0; i < row["pairs"].size(); ++i) {
      std::vector<std::u32string> expected;
      for (const std::string word : row["words"][i]) {
        expected.push_back(Decode(word));
      }
      EXPECT_EQ(Tokenize13a(row["pairs"][i][0].get<std::string>()), expected)
          << row["name"] << " " << row["pairs"][i][0];
    }
  }
}

TEST(TextMetricsTest, OfTextsAreThoseOfSacrebleu) {
  for (const json& row : Rows()) {
    BleuCounts bleu;
    ChrfCounts chrf;
    for (const auto& pair : row["pairs"]) {
      const std::string translation = pair[0], reference = pair[1];
      bleu += CountBleu(translation, reference);
      chrf += CountChrf(translation, reference);
    }
    EXPECT_NEAR(Bleu(bleu), row["bleu"].get<double>(), kNear) << row["name"];
    EXPECT_NEAR(Chrf(chrf), row["chrf"].get<double>(), kNear) << row["name"];
  }
}

TEST(TextMetricsTest, OfSegmentsAreThoseOfSacrebleu) {
  for (const json& row : Rows()) {
    if (!row.contains("segment_bleu")) continue;
    for (size_t i = 0; i < row["pairs"].size(); ++i) {
      const std::string translation = row["pairs"][i][0];
      const std::string reference = row["pairs"][i][1];
      EXPECT_NEAR(Bleu(CountBleu(translation, reference)),
                  row["segment_bleu"][i].get<double>(), kNear)
          << row["name"] << " " << i;
      EXPECT_NEAR(Chrf(CountChrf(translation, reference)),
                  row["segment_chrf"][i].get<double>(), kNear)
          << row["name"] << " " << i;
    }
  }
}

TEST(TextMetricsTest, InvalidBytesAreCharactersToo) {
  EXPECT_EQ(Tokenize13a("a\xFF\xC3 b"),
            (std::vector<std::u32string>{U"a\uFFFD\uFFFD", U"b"}));
  EXPECT_NEAR(Chrf(CountChrf("a\xFF", "a\xFE")), 100.0, kNear);
}

}  // namespace latimer::text_metrics_test
