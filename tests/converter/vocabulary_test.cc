// Vocabularies of all formats are read, and contradictions are refused.
// Tests converter/readers/vocabulary.cc.
#include "converter/readers/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/error.h"
#include "tests/base/growth.h"
#include "tests/converter/model_folder.h"

namespace latimer::vocabulary_test {

using Words = std::vector<std::string>;
using Parse = Vocabulary (*)(const std::string&, const std::string&);

std::string ErrorOf(Parse parse, const std::string& text) {
  try {
    parse(text, "vocab");
  } catch (const ConversionError& error) {
    return error.what();
  }
  return "";
}

TEST(VocabularyTest, JsonMapsWordsToIdsOrIdsToWordsOrIsAList) {
  for (const char* json : {R"({"b": 1, "a": 0, "\u2581c": 2})",
                           R"({"2": "\u2581c", "0": "a", "1": "b"})",
                           R"(["a", "b", "\u2581c"])"}) {
    EXPECT_EQ(ParseJsonVocabulary(json, "vocab").pieces,
              (Words{"a", "b", "\u2581c"}));
  }
  // Words that look like ids.
  EXPECT_EQ(ParseJsonVocabulary(R"({"1": 0, "0": 1})", "vocab").pieces,
            (Words{"1", "0"}));
}

TEST(VocabularyTest, YamlMapsWordsToIdsOrIsAList) {
  EXPECT_EQ(ParseYamlVocabulary("</s>: 0\n<unk>: 1\n\"\\\"\": 3\n"
                                "\xE2\x96\x81the: 2\nno: 4\n1: 5\n'~': 6\n",
                                "vocab")
                .pieces,
            (Words{"</s>", "<unk>", "\u2581the", "\"", "no", "1", "~"}));
  EXPECT_EQ(ParseYamlVocabulary("- a\n- \"\\u2581b\"\n- 7\n", "vocab").pieces,
            (Words{"a", "\u2581b", "7"}));
}

TEST(VocabularyTest, TextIsOneWordALineWithOrWithoutANumber) {
  EXPECT_EQ(ParseTextVocabulary("a\nb c\n\xE2\x96\x81", "vocab").pieces,
            (Words{"a", "b c", "\u2581"}));
  EXPECT_EQ(ParseTextVocabulary("\xEF\xBB\xBF"
                                "a\r\nb\r\n",
                                "vocab")
                .pieces,
            (Words{"a", "b"}));
  EXPECT_EQ(ParseTextVocabulary("b\t1\na\t0\nc\t2\n", "vocab").pieces,
            (Words{"a", "b", "c"}));
  EXPECT_EQ(ParseTextVocabulary("b\t90\na\t7\nc\t7\n", "vocab").pieces,
            (Words{"b", "a", "c"}));
  // spm_train's .vocab.
  EXPECT_EQ(ParseTextVocabulary("<unk>\t0\n<s>\t0\na\t-1.5\nb\t-2e1\n", "vocab")
                .pieces,
            (Words{"<unk>", "<s>", "a", "b"}));
}

TEST(VocabularyTest, IdsAreDenseAndWordsUniqueInEachForm) {
  EXPECT_EQ(ErrorOf(ParseJsonVocabulary, R"({"a": 0, "b": 0})"),
            "vocab: 'b' and 'a' both have the id 0.");
  EXPECT_EQ(ErrorOf(ParseJsonVocabulary, R"({"a": 0, "b": -1})"),
            "vocab: the id -1 of 'b' is outside 0 to 1, so some id has no "
            "piece.");
  EXPECT_EQ(ErrorOf(ParseJsonVocabulary, R"({"a": true})"),
            "vocab: the id of 'a' is not a number.");
  EXPECT_EQ(ErrorOf(ParseJsonVocabulary, R"({"a": "b"})"),
            "vocab: the id 'a' of 'b' is not a number.");
  EXPECT_EQ(ErrorOf(ParseJsonVocabulary, R"({"a": 0, "a": 1})"),
            "vocab: 'a' occurs twice.");
  EXPECT_EQ(ErrorOf(ParseJsonVocabulary, R"(["a", "a"])"),
            "vocab: 'a' occurs twice.");
  EXPECT_EQ(ErrorOf(ParseJsonVocabulary, R"({"0": "a", "00": "b"})"),
            "vocab: 'b' and 'a' both have the id 0.");
  EXPECT_EQ(ErrorOf(ParseJsonVocabulary, R"(["a", 1])"),
            "vocab: an entry of the list is not a text.");
  EXPECT_EQ(ErrorOf(ParseYamlVocabulary, "a: 0\nb: 0\n"),
            "vocab: 'b' and 'a' both have the id 0.");
  EXPECT_EQ(ErrorOf(ParseYamlVocabulary, "a: 0\nb: 2\n"),
            "vocab: the id 2 of 'b' is outside 0 to 1, so some id has no "
            "piece.");
  EXPECT_EQ(ErrorOf(ParseYamlVocabulary, "a: 0\nb: c\n"),
            "vocab: line 2: the id of 'b' is not a number.");
  EXPECT_EQ(ErrorOf(ParseYamlVocabulary, "a: 0\na: 1\n"),
            "vocab: line 2: the key 'a' occurs twice.");
  EXPECT_EQ(ErrorOf(ParseYamlVocabulary, "- a\n- [b]\n"),
            "vocab: line 2: a list of words has something else.");
  EXPECT_EQ(ErrorOf(ParseTextVocabulary, "a\nb\na\n"),
            "vocab: 'a' occurs twice.");
}

TEST(VocabularyTest, WhatIsNoVocabularyIsRefused) {
  for (const Parse parse : {ParseJsonVocabulary, ParseYamlVocabulary}) {
    EXPECT_NE(ErrorOf(parse, "").find("not a vocabulary"), std::string::npos);
  }
  EXPECT_EQ(ErrorOf(ParseTextVocabulary, ""),
            "vocab: the vocabulary has no words.");
  EXPECT_EQ(ErrorOf(ParseTextVocabulary, "a\n\nb\n"),
            "vocab: line 2 is empty.");
  EXPECT_EQ(ErrorOf(ParseTextVocabulary, "a\n\xFF\n"),
            "vocab: line 2 is not UTF-8.");
  EXPECT_EQ(ErrorOf(ParseTextVocabulary, "a\t1\nb\tx\n"),
            "vocab: line 2: there is no number after the tab.");
  // Neither ids nor counts: a guess would be wrong half of the time.
  EXPECT_EQ(ErrorOf(ParseTextVocabulary, "a\t0\nb\t1\nc\t1\n"),
            "vocab: the numbers after the tabs are neither ids from 0 to 2, "
            "each once, nor counts that fall; leave them out if the line is "
            "the id.");
}

TEST(VocabularyTest, APickleIsCalledOne) {
  const TempFolder folder;
  const auto error = [&](const char* name, const std::string& bytes) {
    const auto path = folder.path() / name;
    WriteFile(path, bytes);
    return latimer::ErrorOf([&] { (void)ReadVocabulary(path); });
  };
  // pickle.dumps({"a": 0}) and what torch.save begins with.
  const std::string pickle(
      "\x80\x04\x95\n\0\0\0\0\0\0\0}\x94\x8c\x01"
      "a\x94K\0s.",
      22);
  for (const char* name : {"vocab.pkl", "vocab.json", "vocab.txt"}) {
    EXPECT_THAT(error(name, pickle),
                testing::HasSubstr(std::string(name) +
                                   ": is a Python pickle, not a vocabulary; "
                                   "load it in Python"));
  }
  EXPECT_THAT(error("vocab.pt", "PK\x03\x04 and more"),
              testing::HasSubstr("vocab.pt: is a zip file, not a vocabulary"));
}

TEST(VocabularyTest, TimeGrowsWithTheVocabulary) {
  const auto keys = [](const std::string& value, char end) {
    return [value, end](size_t n) {
      std::string text = end == '}' ? "{" : "";
      for (size_t i = 0; i < n; ++i) {
        if (end == '}' && i > 0) text += ",";
        text += "\"" + std::to_string(i) + "\": ";
        text += value.empty() ? std::to_string(i) : value;
        if (end == '\n') text += end;
      }
      return end == '}' ? text + "}" : text;
    };
  };
  for (const char* value : {"", "{}", "[]", "\"a\""}) {
    SCOPED_TRACE(value);
    ExpectLinear(10000, keys(value, '}'), [](const std::string& text) {
      (void)ErrorOf(ParseJsonVocabulary, text);
    });
    ExpectLinear(10000, keys(value, '\n'), [](const std::string& text) {
      (void)ErrorOf(ParseYamlVocabulary, text);
      (void)ErrorOf(ParseTextVocabulary, text);
    });
  }
  for (const char* text : {"[", "{\"a\":", "\"", "\\\"", "0", "a\t0\n", "\t"}) {
    SCOPED_TRACE(text);
    ExpectLinear(
        20000, [&](size_t n) { return Repeated(text, n); },
        [](const std::string& many) {
          (void)ErrorOf(ParseJsonVocabulary, many);
          (void)ErrorOf(ParseJsonVocabulary, "[\"" + many);
          (void)ErrorOf(ParseTextVocabulary, many);
        });
  }
}

TEST(VocabularyTest, WhatIsNestedTooDeepIsRefused) {
  EXPECT_EQ(ErrorOf(ParseJsonVocabulary, Repeated("[", 200000)),
            "vocab: it is nested too deep.");
}

}  // namespace latimer::vocabulary_test
