// JSON within limits, in time that grows as its length.
// Tests programs/json/bounded_json.h.
#include "json/bounded_json.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/base/growth.h"

namespace latimer::bounded_json_test {

using Json = nlohmann::json;

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
  const auto read = [](const std::string& text) {
    EXPECT_EQ(ReadBoundedJson(text).error, JsonError::kNone);
  };
  ExpectLinear(40'000, members, read);
  for (const char* element : {"{}", "[]", "\"a\""}) {
    SCOPED_TRACE(element);
    ExpectLinear(40'000, elements(element), read);
  }
}

}  // namespace latimer::bounded_json_test
