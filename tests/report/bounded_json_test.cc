// JSON within limits, in time that grows as its length.
// Tests programs/json/bounded_json.h.
#include "json/bounded_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>

namespace latimer::bounded_json_test {

using Json = nlohmann::json;

std::string Repeated(const std::string& text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST(BoundedJson, ReadsWhatNlohmannReads) {
  for (const char* text :
       {R"({"a":[1,-2,3.5,true,null,"\u00e4\n",{"b":{}}],"":[]})", "[[],[[]]]",
        " 18446744073709551615 ", "\"x\"", "null"}) {
    const BoundedJson read = ReadBoundedJson(text);
    EXPECT_EQ(read.error, JsonError::kNone) << text;
    EXPECT_EQ(read.value, Json::parse(text)) << text;
    EXPECT_FALSE(read.duplicate.has_value());
  }
}

TEST(BoundedJson, SaysWhereTextIsNoJson) {
  for (const char* text :
       {"", "[1,", "[1]]", "{\"a\":1,}", "\"\xFF\"", "1e999", "// a\n1"}) {
    const BoundedJson read = ReadBoundedJson(text);
    EXPECT_EQ(read.error, JsonError::kNotJson) << text;
    EXPECT_TRUE(read.value.is_discarded()) << text;
  }
  EXPECT_EQ(ReadBoundedJson("[1, x]").error_byte, 5u);
  EXPECT_EQ(ReadBoundedJson("// a\n1", {.comments = true}).value, 1);
}

TEST(BoundedJson, CountsDepthAsItParses) {
  const auto error = [](size_t depth, const std::string& before) {
    const std::string text =
        before + Repeated("[", depth) + Repeated("]", depth);
    return ReadBoundedJson(text, {.depth = 100, .comments = true}).error;
  };
  EXPECT_EQ(error(100, ""), JsonError::kNone);
  EXPECT_EQ(error(101, ""), JsonError::kTooDeep);
  // A quote in a comment hides no bracket.
  EXPECT_EQ(error(200'000, "/* \" */"), JsonError::kTooDeep);
  EXPECT_EQ(ReadBoundedJson(R"({"[[[":"[[["})", {.depth = 1}).error,
            JsonError::kNone);
  EXPECT_EQ(ReadBoundedJson("1", {.depth = 0}).error, JsonError::kNone);
}

TEST(BoundedJson, CountsValues) {
  EXPECT_EQ(ReadBoundedJson(R"({"a":[1,2]})", {.values = 4}).error,
            JsonError::kNone);
  EXPECT_EQ(ReadBoundedJson(R"({"a":[1,2]})", {.values = 3}).error,
            JsonError::kTooManyValues);
  EXPECT_EQ(ReadBoundedJson("[[]]", {.values = 1}).error,
            JsonError::kTooManyValues);
}

TEST(BoundedJson, NamesTheFirstDuplicateAndKeepsItsLastValue) {
  const BoundedJson read =
      ReadBoundedJson(R"({"a":{"b":1,"b":[2]},"c":{"b":3},"a":4,"c":5})");
  EXPECT_EQ(read.duplicate, "b");
  EXPECT_EQ(read.value, Json::parse(R"({"a":4,"c":5})"));
}

double CpuSeconds(const std::string& text) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t begin = std::clock();
    const BoundedJson read = ReadBoundedJson(text);
    EXPECT_EQ(read.error, JsonError::kNone);
    least = std::min(
        least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

// Sixteen times the input would take 256 times the time, were it quadratic;
// doubled four times at 2.5 times each, 39.
TEST(BoundedJson, TimeGrowsAsTheLength) {
  const auto members = [](size_t count) {
    std::string text = "{";
    for (size_t i = 0; i < count; ++i) {
      text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":{}";
    }
    return text + "}";
  };
  const auto elements = [](const std::string& one) {
    return [one](size_t count) {
      return "[" + Repeated(one + ",", count) + one + "]";
    };
  };
  const auto expect_linear = [](const auto& make) {
    const double few = std::max(CpuSeconds(make(10'000)), 0.002);
    EXPECT_LT(CpuSeconds(make(160'000)), 39 * few) << make(1);
  };
  expect_linear(members);
  expect_linear(elements("{}"));
  expect_linear(elements("[]"));
  expect_linear(elements("\"a\""));
}

}  // namespace latimer::bounded_json_test
