// YAML is read as a tree of texts, or refused with the line.
// Tests converter/readers/yaml_file.cc.
#include "converter/readers/yaml_file.h"

#include <gtest/gtest.h>

#include "converter/error.h"
#include "tests/base/growth.h"

namespace latimer::yaml_file_test {

using Kind = YamlNode::Kind;

std::string ErrorOf(const std::string& text) {
  try {
    ParseYaml(text, "file.yml");
  } catch (const ConversionError& error) {
    return error.what();
  }
  return "";
}

TEST(YamlFileTest, MapsSequencesAndScalarsKeepTheirTextAndOrder) {
  const YamlNode root = ParseYaml(
      "relative-paths: true\n"
      "vocabs:\n  - a.spm\n  - 'b c.spm'\n"
      "nested: {beam-size: 6, list: [1, [2, 3]]}\n"
      "empty:\n",
      "file.yml");
  ASSERT_EQ(root.kind, Kind::kMap);
  EXPECT_EQ(root.keys, (std::vector<std::string>{"relative-paths", "vocabs",
                                                 "nested", "empty"}));
  EXPECT_EQ(root.Find("relative-paths")->text, "true");
  EXPECT_FALSE(root.Find("relative-paths")->quoted);
  const YamlNode& vocabs = *root.Find("vocabs");
  ASSERT_EQ(vocabs.kind, Kind::kSequence);
  ASSERT_EQ(vocabs.values.size(), 2u);
  EXPECT_EQ(vocabs.values[1].text, "b c.spm");
  EXPECT_TRUE(vocabs.values[1].quoted);
  EXPECT_EQ(vocabs.values[1].line, 4u);
  const YamlNode& nested = *root.Find("nested");
  EXPECT_EQ(nested.Find("beam-size")->text, "6");
  EXPECT_EQ(nested.Find("list")->values[1].values[1].text, "3");
  EXPECT_EQ(root.Find("empty")->text, "");
  EXPECT_EQ(root.Find("absent"), nullptr);
}

TEST(YamlFileTest, EscapesInQuotesAreResolved) {
  const YamlNode root = ParseYaml(
      "\"\\\"\": 0\n\"\\u2581the\": 1\n\"\\\\\": 2\n'it''s': 3\n\"\\x85\": 4\n"
      "\xE2\x96\x81is: 5\n\"\\U0001F642\": 6\n? long\n: 7\n",
      "file.yml");
  EXPECT_EQ(root.keys, (std::vector<std::string>{"\"", "\u2581the", "\\",
                                                 "it's", "\xC2\x85", "\u2581is",
                                                 "\U0001F642", "long"}));
  EXPECT_EQ(root.values[7].text, "7");
}

// The expected keys are what yaml-cpp 0.7 reads; it writes U+007F and a
// lonely \r raw.
TEST(YamlFileTest, CharactersThatOnlyLibyamlRefusesAreText) {
  const std::string text = std::string("\"\x7F\": 0\n'\x01\0\x1F': 1\n", 16) +
                           "a\xC2\x85"
                           "b: 2\n"
                           "'\xE2\x80\xA8 ': 3\n"
                           "\"\xE2\x80\xA9\\n\\x7f\": 4\n"
                           "\xEF\xBF\xBE\xEF\xBF\xBF: 5\n"
                           "\x0C\r\xC2\x80: 6\r\n";
  const YamlNode root = ParseYaml(text, "file.yml");
  EXPECT_EQ(root.keys, (std::vector<std::string>{
                           "\x7F", std::string("\x01\0\x1F", 3),
                           "a\xC2\x85"
                           "b",
                           "\xE2\x80\xA8 ", "\xE2\x80\xA9\n\x7F",
                           "\xEF\xBF\xBE\xEF\xBF\xBF", "\x0C\r\xC2\x80"}));
  EXPECT_EQ(root.values[3].line, 4u);
  EXPECT_EQ(root.values[6].text, "6");
  EXPECT_EQ(ErrorOf(text + "b: [\n"),
            "file.yml: line 9: not YAML: did not find "
            "expected node content.");
  EXPECT_EQ(ErrorOf(text + "'\x7F': \xFF\n"),
            "file.yml: line 8: not YAML: invalid leading UTF-8 octet.");
}

TEST(YamlFileTest, CharactersOfEmptyPlanesStayWhatTheyAre) {
  const YamlNode root = ParseYaml(
      "\xF1\x80\x81\xBF: 0\n\"\\U0005007F\": 1\n\x7F: 2\n\xF3\xB0\x81\xBF: 3\n",
      "file.yml");
  EXPECT_EQ(root.keys,
            (std::vector<std::string>{"\xF1\x80\x81\xBF", "\xF1\x90\x81\xBF",
                                      "\x7F", "\xF3\xB0\x81\xBF"}));
}

TEST(YamlFileTest, AByteOrderMarkIsSkipped) {
  EXPECT_EQ(ParseYaml("\xEF\xBB\xBF"
                      "a: 0\nb: 1\n",
                      "file.yml")
                .keys,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(ErrorOf("\xEF\xBB\xBF"
                    "a: 0\na: 1\n"),
            "file.yml: line 2: the key 'a' occurs twice.");
}

TEST(YamlFileTest, AnEmptyFileIsAnEmptyScalar) {
  EXPECT_EQ(ParseYaml("", "file.yml").kind, Kind::kScalar);
  EXPECT_EQ(ParseYaml("", "file.yml").text, "");
}

TEST(YamlFileTest, WhatIsNotUnderstoodIsRefusedWithItsLine) {
  EXPECT_EQ(ErrorOf("a: 1\na: 2\n"),
            "file.yml: line 2: the key 'a' occurs twice.");
  EXPECT_EQ(ErrorOf("a: &x 1\nb: *x\n"),
            "file.yml: line 1: anchors and aliases (& and *) are not "
            "supported.");
  EXPECT_EQ(ErrorOf("? [a, b]\n: 1\n"),
            "file.yml: line 1: a key is not plain text.");
  EXPECT_EQ(ErrorOf("a: 1\n---\nb: 1\n"),
            "file.yml: line 2: a second document begins.");
  EXPECT_NE(ErrorOf("a: [1, 2\n").find("file.yml: line 2: not YAML: "),
            std::string::npos);
  EXPECT_EQ(ErrorOf("a: 1\n\nb: \"\xFF\"\n"),
            "file.yml: line 3: not YAML: invalid leading UTF-8 octet.");
  EXPECT_NE(ErrorOf(std::string(90, '[')).find("not YAML: "),
            std::string::npos);
}

TEST(YamlFileTest, ListsAndMapsAreNestedAHundredDeepAtMost) {
  const auto block = [](size_t depth) {
    std::string text;
    for (size_t i = 0; i < depth; ++i) text += "- ";
    return text + "x";
  };
  const auto lists = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  const auto maps = [](size_t depth) {
    std::string text;
    for (size_t i = 0; i < depth; ++i) text += "{a: ";
    return text + std::string(depth, '}');
  };
  for (const size_t depth :
       {kMaxYamlDepth, kMaxYamlDepth + 1, size_t{250000}}) {
    const std::string error =
        depth == kMaxYamlDepth
            ? ""
            : "file.yml: line 1: lists and maps are nested more than 100 deep.";
    EXPECT_EQ(ErrorOf(block(depth)), error);
    EXPECT_EQ(ErrorOf(lists(depth)), error);
    EXPECT_EQ(ErrorOf(maps(depth)), error);
  }
  // libyaml looks at every level's key for each token, and reads 1,024
  // characters ahead.
  EXPECT_EQ(ErrorOf("- x\n- " + std::string(100000, '[')),
            "file.yml: line 2: lists and maps are nested more than 100 deep.");
}

TEST(YamlFileTest, NamesOfTagsAreRefused) {
  EXPECT_EQ(ErrorOf("%TAG !e! tag:example.com,2000:\n--- x\n"),
            "file.yml: line 1: %TAG is not supported.");
  EXPECT_EQ(ErrorOf("%YAML 1.1\n%TAG !e! tag:example.com,2000:\n--- x\n"),
            "file.yml: line 2: %TAG is not supported.");
  EXPECT_EQ(ErrorOf("'%TAG': 0\nx: 'y\n  %TAG'\n"), "");
  EXPECT_EQ(ErrorOf("%YAML 1.1\n--- x\n"), "");
}

TEST(YamlFileTest, TimeGrowsWithTheText) {
  const auto keys = [](size_t n) {
    std::string all;
    for (size_t i = 0; i < n; ++i) {
      all += std::to_string(i) + ": " + std::to_string(i) + "\n";
    }
    return all;
  };
  const auto parse = [](const std::string& text) { (void)ErrorOf(text); };
  ExpectLinear(10000, keys, parse);
  for (const char* text : {"[",
                           "{",
                           "- ",
                           "? ",
                           "a: ",
                           "- x\n",
                           "[]: 0\n",
                           "\"\\n\n",
                           "'\n",
                           "|\n",
                           "  x\n",
                           "#\n",
                           "%TAG !a! b\n",
                           "%YAML 1.1\n",
                           "--- \n",
                           "&a ",
                           "!a ",
                           "!!a x\n",
                           "\x7F",
                           "\r",
                           "\xFF",
                           ": ",
                           "- [[[[]]]]\n",
                           "\t",
                           "\n",
                           "[a: b, c: d, ",
                           "[[]: ",
                           "- - - - x\n",
                           "- |\n x\n"}) {
    SCOPED_TRACE(text);
    const auto repeated = [&](size_t n) { return Repeated(text, n); };
    ExpectLinear(20000, repeated, parse);
    ExpectLinear(20000, repeated, [](const std::string& many) {
      (void)ErrorOf("[" + many);
      (void)ErrorOf("- \"" + many);
      (void)ErrorOf("- |\n" + many);
    });
  }
}

}  // namespace latimer::yaml_file_test
