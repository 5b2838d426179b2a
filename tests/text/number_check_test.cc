// Which numbers a translation lacks, and which it has more often.
// Tests api/number_check.cc, api/latimer_c_numbers.cc.
#include "latimer/number_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "latimer/latimer.h"

namespace latimer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Difference {
  std::vector<std::string> missing, surplus;
};

Difference Compare(const std::string& source, const std::string& translation) {
  NumberCheck check;
  CheckNumbers(source, translation, &check);
  Difference difference;
  for (const TextRange& range : check.missing()) {
    difference.missing.push_back(source.substr(range.begin, range.size()));
  }
  for (const TextRange& range : check.surplus()) {
    difference.surplus.push_back(translation.substr(range.begin, range.size()));
  }
  EXPECT_EQ(check.ok(),
            difference.missing.empty() && difference.surplus.empty());
  return difference;
}

TEST(NumberCheckTest, NumbersAgreeAsLanguagesWriteThem) {
  const struct {
    const char *source, *translation;
  } kSame[] = {
      {"", ""},
      {"no number", "keine Zahl"},
      {"1,234.5 m and 2 cats", "2 Katzen und 1.234,5 m"},
      {"$1,299.00", "1.299 $"},
      {"1'000'000", "1,000,000"},
      {"10,000 km, 10 000 km", "10 000 km, 10.000 km"},
      {"1,00,000", "100,000"},  // India
      {"9:00 to 17:30", "9 bis 17.30 Uhr"},
      {"09:05", "9h05"},
      {"8:30 p.m., 11 PM", "20:30 Uhr, 23 Uhr"},
      {"2024-05-01", "01.05.2024"},
      {"192.168.0.1 with 1.2.3", "1.2.3 mit 192.168.0.1"},
      {"pages 3-5", "Seiten 3–5"},
      {"from -5 to +3", "von \u22125 bis 3"},
      {"the 15th century", "o século XV"},
      {"no século XVIII", "in the 18th century"},
      {"the 1990s", "die 90er"},
      {"330,000 people", "330 mil pessoas"},
      {"3 Millionen", "3,000,000"},
      {"2 cats", "zwei Katzen"},
      {"two cats", "2 Katzen"},
      {"\u0663\u0664\u0665", "345"},
      {"\uFF13\u0664\u0965", "34\u0965"},  // U+0965 is no digit.
  };
  for (const auto& [source, translation] : kSame) {
    const Difference found = Compare(source, translation);
    EXPECT_THAT(found.missing, IsEmpty()) << source << " / " << translation;
    EXPECT_THAT(found.surplus, IsEmpty()) << source << " / " << translation;
  }
}

TEST(NumberCheckTest, WhatIsLostOrAddedIsFound) {
  const struct {
    const char *source, *translation, *missing, *surplus;
  } kOther[] = {
      {"in 1988", "in 19888", "1988", "19888"},
      {"2 cats", "3 Katzen", "2", "3"},
      {"18 and 20", "20", "18", ""},
      {"20", "20 20", "", "20"},
      {"-5 C", "5 C", "-5", "5"},
      {"\u22125 C", "5 C", "\u22125", "5"},
      {"1,234.5", "1.234", "1,234.5", "1.234"},
      {"6,000", "6", "6,000", "6"},
      {"9:15", "9 Uhr", "15", ""},
      {"30 cats", "thirty cats", "30", ""},
      {"no. 0049301", "no. 49301", "0049301", "49301"},
      {"100 C", "C", "100", ""},
      {"8:30", "20:30", "8", "20"},
      {"10:00", "10:000:00", "", "000"},
      {"\u0663\u0664", "35", "\u0663\u0664", "35"},
  };
  for (const auto& [source, translation, missing, surplus] : kOther) {
    const Difference found = Compare(source, translation);
    const auto one = [](const std::string& text) {
      return text.empty() ? std::vector<std::string>()
                          : std::vector<std::string>{text};
    };
    EXPECT_EQ(found.missing, one(missing)) << source << " / " << translation;
    EXPECT_EQ(found.surplus, one(surplus)) << source << " / " << translation;
  }
  EXPECT_THAT(Compare("7 18 1945", "19 1946 7").missing,
              ElementsAre("18", "1945"));
}

TEST(NumberCheckTest, TextsOfAnyKindAreCompared) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += std::to_string(100 + i) + " ";
  EXPECT_THAT(Compare(many, many).missing, IsEmpty());
  EXPECT_THAT(Compare(many, "").missing, SizeIs(NumberCheck::kMost));
  EXPECT_THAT(Compare("", many).surplus, SizeIs(NumberCheck::kMost));
  const std::string digits(100'000, '7');
  EXPECT_THAT(Compare(digits, digits).missing, IsEmpty());
  EXPECT_THAT(Compare(digits, "7" + digits).missing, SizeIs(1));
  std::string dots;
  for (int i = 0; i < 10'000; ++i) dots += "7.";
  EXPECT_THAT(Compare(dots, dots).missing, IsEmpty());
  EXPECT_THAT(Compare("\xFF\x80 17 \xE2\x88", "-").missing, ElementsAre("17"));
}

TEST(NumberCheckTest, CHasRangesOfBothTexts) {
  const std::string source = "18 of 1988", translation = "199 von 18";
  latimer_text_range ranges[2] = {};
  size_t missing = 0;
  EXPECT_EQ(
      latimer_check_numbers(source.data(), source.size(), translation.data(),
                            translation.size(), ranges, 2, &missing),
      2u);
  EXPECT_EQ(missing, 1u);
  EXPECT_EQ(ranges[0].begin, 6u);
  EXPECT_EQ(ranges[0].end, 10u);
  EXPECT_EQ(ranges[1].begin, 0u);
  EXPECT_EQ(ranges[1].end, 3u);
  EXPECT_EQ(latimer_check_numbers(source.data(), source.size(), nullptr, 0,
                                  nullptr, 0, nullptr),
            2u);
  EXPECT_EQ(latimer_check_numbers(nullptr, 0, nullptr, 0, ranges, 2, &missing),
            0u);
  EXPECT_EQ(LATIMER_MOST_CHECKED_NUMBERS, 2 * NumberCheck::kMost);
}

}  // namespace
}  // namespace latimer
