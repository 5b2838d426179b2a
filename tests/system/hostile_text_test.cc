// Hostile texts through the demo model: nothing crashes, nothing is lost, and
// sentences side by side get the translations that they get alone.
// Tests runtime/translator.cc, runtime/text/text_cursor.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"
#include "tests/text/hostile_texts.h"

namespace latimer::hostile_text_test {

// Short translations: what is tested is the text, not its length.
constexpr TranslateOptions kOptions = {.max_target_tokens = 12,
                                       .language_code = {}};

std::vector<std::string> Texts() {
  std::vector<std::string> texts = HostileTexts();
  if (!kEmulated) {
    texts.push_back(Times(5000, "\xf0\x9f"));
    texts.push_back(Times(1000, "Tom wants to learn German. "));
    return texts;
  }
  std::erase_if(texts, [](const auto& text) { return text.size() > 400; });
  return texts;
}

class HostileTranslationTest : public testing::Test {
 protected:
  void SetUp() override {
    const Status status = translator_.Load(file_.bytes(), &test_workspace);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  // Part by part.
  std::string OneByOne(std::string_view text) {
    std::string whole;
    TextCursor cursor(text, kOptions);
    while (!cursor.done()) {
      const size_t rest = cursor.rest().size();
      const auto part = translator_.TranslateNext(cursor);
      EXPECT_TRUE(part.ok()) << part.status().message();
      if (!part.ok() || (part->source_bytes == 0 && rest > 0) ||
          part->source_bytes > rest) {
        ADD_FAILURE() << "no part";
        break;
      }
      whole += part->text;
      if (!cursor.done()) whole += part->space;
    }
    return whole;
  }

  std::string SideBySide(std::string_view text) {
    struct Part {
      std::string text, space;
    };
    std::vector<Part> parts;
    TextCursor cursor(text, kOptions);
    while (!cursor.done() || translator_.under_way() > 0) {
      while (cursor.CanBegin() && translator_.CanBegin()) {
        const Status begun = translator_.Begin(cursor, parts.size());
        if (!begun.ok()) {
          ADD_FAILURE() << begun.message();
          return "";
        }
        parts.emplace_back();
      }
      FinishedTranslation out;
      if (!translator_.Advance(&out)) continue;
      EXPECT_TRUE(out.status.ok()) << out.status.message();
      parts[out.ticket] = {std::string(out.translation.text),
                           std::string(out.translation.space)};
    }
    std::string whole;
    for (size_t i = 0; i < parts.size(); ++i) {
      whole += parts[i].text;
      if (i + 1 < parts.size()) whole += parts[i].space;
    }
    return whole;
  }

  const ModelBytes file_ = ConvertDemo(WeightType::kInt8);
  Translator translator_;
};

TEST_F(HostileTranslationTest, AllOfATextIsTranslatedAloneAndSideBySide) {
  for (const std::string& text : Texts()) {
    SCOPED_TRACE(testing::PrintToString(text.substr(0, 60)));
    const auto whole = translator_.Translate(text, kOptions);
    ASSERT_TRUE(whole.ok()) << whole.status().message();
    EXPECT_EQ(whole->source_bytes, text.size());
    const std::string expected(whole->text);
    EXPECT_TRUE(IsUtf8(expected));
    EXPECT_EQ(OneByOne(text), expected);
    EXPECT_EQ(SideBySide(text), expected);
  }
}

TEST_F(HostileTranslationTest, WhatHasNoTokensHasNoTranslation) {
  for (const char* text : {"", " ", "\t\r\v\f", "\u3000", "\u200b\ufeff"}) {
    const auto result = translator_.Translate(text);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->text, "") << testing::PrintToString(text);
    EXPECT_TRUE(result->tokens.empty()) << testing::PrintToString(text);
    EXPECT_EQ(result->stop_reason, StopReason::kEos);
  }
}

TEST_F(HostileTranslationTest, TheProgramGivesALineForEach) {
  const TempFolder folder;
  const std::string model = folder.path() / "demo.ltm";
  std::ofstream(model, std::ios::binary)
      .write(reinterpret_cast<const char*>(file_.bytes().data()),
             static_cast<std::streamsize>(file_.bytes().size()));
  std::string input, expected;
  for (const std::string& text : Texts()) {
    input += text + "\n";
    const auto whole = translator_.Translate(text, kOptions);
    ASSERT_TRUE(whole.ok());
    std::string line(whole->text);
    std::ranges::replace(line, '\r', ' ');  // It would break the line.
    expected += line + "\n";
  }
  const Outcome outcome = RunProgram(
      "latimer", {"translate", model, "--max-target-tokens", "12"}, input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto [got, wanted] = std::ranges::mismatch(outcome.out, expected);
  EXPECT_TRUE(outcome.out == expected)
      << "first difference: "
      << testing::PrintToString(
             std::string(got, outcome.out.end()).substr(0, 80))
      << " and "
      << testing::PrintToString(
             std::string(wanted, expected.end()).substr(0, 80));
}

}  // namespace latimer::hostile_text_test
