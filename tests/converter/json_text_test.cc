// JSON that is nested too deeply is refused.
// Tests converter/readers/json_fields.cc.

#include <gtest/gtest.h>

#include <string>

#include "converter/readers/json_fields.h"
#include "tests/converter/model_folder.h"

namespace latimer::json_text_test {

std::string Nested(size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(JsonTextTest, WhatIsNestedTooDeepIsNoJson) {
  EXPECT_FALSE(ParseJsonText(Nested(100)).is_discarded());
  EXPECT_TRUE(ParseJsonText(Nested(101)).is_discarded());
  // So deep that a copy would exceed the stack.
  EXPECT_TRUE(ParseJsonText(Nested(10'000'000)).is_discarded());
}

TEST(JsonTextTest, BracketsInStringsDoNotCount) {
  const std::string brackets(1000, '[');
  const auto json = ParseJsonText("[\"" + brackets + "\\\"" + brackets + "\"]");
  ASSERT_TRUE(json.is_array());
  EXPECT_EQ(json[0], brackets + "\"" + brackets);
}

TEST(JsonTextTest, ListsSideBySideAreNotDeep) {
  std::string lists = "[0";
  for (int i = 0; i < 1000; ++i) lists += ",[]";
  EXPECT_EQ(ParseJsonText(lists + "]").size(), 1001u);
}

TEST(JsonTextTest, AConfigurationNestedTooDeepIsRefusedWithItsName) {
  const TempFolder folder;
  const auto path = folder.path() / "config.json";
  WriteFile(path, "{\"a\": " + Nested(1'000'000) + "}");
  EXPECT_EQ(ErrorOf([&] { (void)JsonFields::Open(path); }),
            path.string() + ": not a JSON object.");
}

}  // namespace latimer::json_text_test
