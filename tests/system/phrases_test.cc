// Terms and protected spans: what must come out does, with a model that
// translates and with random ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/converter/model_folder.h"
#include "tests/system/demo_model.h"
#include "tests/system/tiny_model.h"

namespace latimer::phrases_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

size_t Count(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

// ---- Protected spans --------------------------------------------------------

struct Line {
  std::string text;
  std::vector<std::string> spans;
};

// Lines of words with one to four spans, none of which is part of another.
std::vector<Line> GenerateLines(size_t count) {
  const std::vector<std::string> words = {"the",  "house", "of",    "Tom",
                                          "is",   "open",  "today", "Please",
                                          "read", "files", "again", "my"};
  const std::vector<std::string> marks = {" ", " ", " ", ", ", ": ", " (", "-"};
  std::mt19937 random(5);
  const auto pick = [&](const auto& list) {
    return list[random() % list.size()];
  };
  std::vector<Line> lines(count);
  for (size_t i = 0; i < count; ++i) {
    const std::string n = std::to_string(100 + i);
    const std::vector<std::string> kinds = {
        "{name" + n + "}",
        "{{ user." + n + " }}",
        "%" + n + "$d",
        "%(key" + n + ")s",
        "https://host.org/a?b=" + n,
        "jo" + n + "@host.org",
        n + " km",
        n + ".5\u00A0GB",
        "${\u0416" + n + "\u4E2D}",
    };
    Line& line = lines[i];
    const size_t spans = 1 + random() % 4;
    size_t begin = random() % kinds.size();
    for (size_t s = 0; s < spans; ++s) {
      for (size_t w = random() % 4; w > 0; --w) {
        line.text += pick(words) + pick(marks);
      }
      line.spans.push_back(kinds[(begin + s) % kinds.size()]);
      line.text += line.spans.back() + (random() % 3 == 0 ? ", " : " ");
    }
    line.text += pick(words) + (random() % 2 == 0 ? "." : "");
  }
  return lines;
}

void ExpectSpansOnce(Translator& translator, size_t count,
                     TranslateOptions options) {
  options.protect = true;
  for (const uint32_t beams : {1u, 3u}) {
    options.beams = beams;
    for (const Line& line : GenerateLines(count)) {
      SCOPED_TRACE(line.text);
      const Result<Translation> result =
          translator.Translate(line.text, options);
      ASSERT_TRUE(result.ok()) << result.status().message();
      for (const std::string& span : line.spans) {
        EXPECT_EQ(Count(result->text, span), 1u)
            << span << " in " << result->text;
      }
    }
  }
}

TEST(ProtectedSpansTest, ComeOnceWithTheDemo) {
  const ModelBytes file = ConvertDemo(WeightType::kInt8);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  ExpectSpansOnce(translator, 300, {});
}

class RandomModelTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Families, RandomModelTest,
                         ::testing::ValuesIn(NamesIn(TestData("family_texts"))),
                         [](const auto& name) { return name.param; });

TEST_P(RandomModelTest, ProtectedSpansComeOnce) {
  const TempFolder folder;
  fs::copy(TestData("huggingface_tokenizer") / GetParam(), folder.path());
  fs::copy(TestData("family_texts") / GetParam(), folder.path(),
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  const ModelBytes file = WriteForThisCpu(
      OpenModel(folder.path(), /*with_tokenizer=*/true), WeightType::kF32);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const auto& languages = translator.model_info().generation.languages;
  TranslateOptions options;
  if (!languages.empty()) {
    options.source_language = languages.front().code;
    options.target_language = languages.back().code;
  }
  ExpectSpansOnce(translator, 40, options);
}

TEST(ProtectedSpansTest, OfTheCallerComeOnceInEachPart) {
  const ModelBytes file = ConvertDemo(WeightType::kInt8);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  std::string text;
  std::vector<TextRange> ranges;
  std::vector<std::string> spans;
  for (int i = 0; text.size() < 4000; ++i) {
    text += "I read ";
    spans.push_back("<code>x" + std::to_string(100 + i) + "</code>");
    const auto begin = static_cast<uint32_t>(text.size());
    ranges.push_back(
        {begin, begin + static_cast<uint32_t>(spans.back().size())});
    text += spans.back() + " today. ";
  }
  TranslateOptions options;
  options.protected_ranges = ranges;
  const Result<Translation> result = translator.Translate(text, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  for (const std::string& span : spans) {
    EXPECT_EQ(Count(result->text, span), 1u) << span;
  }
  const std::string_view pattern = "ACME-*";
  options = {};
  options.protected_patterns = {&pattern, 1};
  const auto product =
      translator.Translate("I bought ACME-Ünit today.", options);
  ASSERT_TRUE(product.ok());
  EXPECT_EQ(Count(product->text, "ACME-Ünit"), 1u) << product->text;
}

TEST(ProtectedSpansTest, LanesAndScoresChangeNothing) {
  const ModelBytes file = ConvertDemo(WeightType::kInt8);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const std::vector<Line> lines = GenerateLines(40);
  TranslateOptions options;
  options.protect = true;
  for (const uint32_t beams : {1u, 2u}) {
    options.beams = beams;
    options.scores = false;
    std::vector<std::string> alone(lines.size()), beside(lines.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      options.scores = i % 2 == 1;
      alone[i] = translator.Translate(lines[i].text, options)->text;
    }
    options.scores = false;
    size_t begun = 0;
    while (begun < lines.size() || translator.under_way() > 0) {
      while (begun < lines.size() && translator.CanBegin()) {
        TextCursor cursor(lines[begun].text, options);
        ASSERT_TRUE(translator.Begin(cursor, begun).ok());
        ++begun;
      }
      FinishedTranslation out;
      if (!translator.Advance(&out)) continue;
      ASSERT_TRUE(out.status.ok());
      beside[out.ticket] = out.translation.text;
    }
    EXPECT_EQ(beside, alone);
  }
}

TEST(ProtectedSpansTest, ATextWithManyIsCut) {
  const ModelBytes file = ConvertDemo(WeightType::kInt8);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  std::string text;
  for (int i = 100; i < 200; ++i) text += "{a" + std::to_string(i) + "} ";
  TranslateOptions options;
  options.protect = true;
  const auto result = translator.Translate(text, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  for (int i = 100; i < 200; ++i) {
    EXPECT_EQ(Count(result->text, "{a" + std::to_string(i) + "}"), 1u) << i;
  }
}

// ---- Terms ------------------------------------------------------------------

// The demo, which knows the tokenizer of its target.
ModelBytes ConvertWithTargetTokenizer() {
  return CachedModel("target-" + DemoName(WeightType::kInt8, UsableTile()), [] {
    CanonicalModel model = OpenModel(DemoDirectory(), true, {});
    model.target_tokenizer = model.tokenizer->target_text();
    return WriteForThisCpu(model, WeightType::kInt8, UsableTile());
  });
}

TEST(TermsTest, ComeOutWhereverTheirSourceIs) {
  const ModelBytes file = ConvertWithTargetTokenizer();
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const std::vector<Term> terms = {{"house", "Anwesen"},
                                   {"old house", "Altbau"},
                                   {"car", "Kraftfahrzeug"},
                                   {"Tom", "Thomas"}};
  const auto translate = [&](const std::string& text, uint32_t beams) {
    TranslateOptions options;
    options.terms = terms;
    options.beams = beams;
    const Result<Translation> result = translator.Translate(text, options);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return std::string(result->text);
  };
  for (const uint32_t beams : {1u, 4u}) {
    EXPECT_THAT(translate("Tom sold his house.", beams),
                testing::AllOf(HasSubstr("Thomas"), HasSubstr("Anwesen")));
    EXPECT_THAT(translate("House prices rise.", beams), HasSubstr("Anwesen"));
    const std::string longest = translate("The old house burns.", beams);
    EXPECT_THAT(longest, HasSubstr("Altbau"));
    EXPECT_EQ(Count(longest, "Anwesen"), 0u) << longest;
    // Between word boundaries only, and capital letters as they are.
    EXPECT_EQ(Count(translate("We carry cards.", beams), "Kraftfahrzeug"), 0u);
    EXPECT_EQ(Count(translate("An atom is small.", beams), "Thomas"), 0u);
  }
}

TEST(TermsTest, ChangeNothingWhereTheModelSaysThem) {
  const ModelBytes file = ConvertWithTargetTokenizer();
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const std::string text = "Tom is reading a book in his house.";
  for (const uint32_t beams : {1u, 4u}) {
    TranslateOptions options;
    options.beams = beams;
    const std::string plain(translator.Translate(text, options)->text);
    EXPECT_THAT(plain, HasSubstr("Buch"));
    const std::vector<Term> said = {{"book", "Buch"}, {"Tom", "Tom"}};
    options.terms = said;
    EXPECT_EQ(translator.Translate(text, options)->text, plain);
    // One of them is missing, and only that one is forced.
    const std::vector<Term> mixed = {{"book", "Buch"}, {"house", "Anwesen"}};
    options.terms = mixed;
    const std::string forced(translator.Translate(text, options)->text);
    EXPECT_EQ(Count(forced, "Buch"), 1u) << forced;
    EXPECT_EQ(Count(forced, "Anwesen"), 1u) << forced;
    // A part of a word is no term.
    const Term part = {"book", "Bu"};
    options.terms = {&part, 1};
    EXPECT_THAT(std::string(translator.Translate(text, options)->text) + " ",
                testing::ContainsRegex("Bu[ .,]"));
  }
}

TEST(TermsTest, ASearchThatBeginsAnewReportsItsTokensFromTheFirst) {
  const ModelBytes file = ConvertWithTargetTokenizer();
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  struct Reported {
    std::vector<int32_t> tokens;
    size_t searches = 0;
  };
  const Term term = {"house", "Anwesen"};
  for (const uint32_t beams : {1u, 4u}) {
    Reported reported;
    TranslateOptions options;
    options.beams = beams;
    options.scores = true;
    options.terms = {&term, 1};
    options.token_context = &reported;
    options.on_token = [](void* context, size_t index, int32_t token) {
      auto* const all = static_cast<Reported*>(context);
      if (index == 0) ++all->searches;
      all->tokens.resize(index);
      all->tokens.push_back(token);
      return true;
    };
    const auto result = translator.Translate("Tom sold his house.", options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(reported.searches, 2u);
    EXPECT_TRUE(std::ranges::equal(reported.tokens, result->tokens));
    EXPECT_EQ(result->scores.size(), result->tokens.size());
    EXPECT_EQ(result->generated_tokens, result->tokens.size());
  }
}

TEST(TermsTest, LanesAndPartsChangeNothing) {
  const ModelBytes file = ConvertWithTargetTokenizer();
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const std::vector<Term> terms = {
      {"house", "Anwesen"}, {"Tom", "Thomas"}, {"book", "Buch"}};
  std::vector<std::string> lines;
  for (const char* who : {"Tom", "Mary", "The man"}) {
    for (const char* what : {"a house", "a book", "a house and a book"}) {
      lines.push_back(std::string(who) + " has " + what + ".");
    }
  }
  std::string whole;
  for (int i = 0; i < 20; ++i) {
    for (const std::string& line : lines) whole += line + " ";
  }
  lines.push_back(whole);
  TranslateOptions options;
  options.terms = terms;
  for (const uint32_t beams : {1u, 3u}) {
    options.beams = beams;
    std::vector<std::string> alone, beside(lines.size());
    for (const std::string& line : lines) {
      alone.emplace_back(translator.Translate(line, options)->text);
      EXPECT_GE(Count(alone.back(), "Anwesen"), Count(line, "house"));
      EXPECT_GE(Count(alone.back(), "Thomas"), Count(line, "Tom"));
      EXPECT_GE(Count(alone.back(), "Buch"), Count(line, "book"));
    }
    alone.pop_back();
    beside.pop_back();
    size_t begun = 0;
    while (begun < alone.size() || translator.under_way() > 0) {
      while (begun < alone.size() && translator.CanBegin()) {
        TextCursor cursor(lines[begun], options);
        ASSERT_TRUE(translator.Begin(cursor, begun).ok());
        ++begun;
      }
      FinishedTranslation out;
      if (!translator.Advance(&out)) continue;
      ASSERT_TRUE(out.status.ok());
      beside[out.ticket] = out.translation.text;
    }
    EXPECT_EQ(beside, alone);
  }
}

TEST(TermsTest, NeedATargetTokenizer) {
  const ModelBytes file = ConvertDemo(WeightType::kInt8);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const Term term = {"house", "Anwesen"};
  TranslateOptions options;
  options.terms = {&term, 1};
  EXPECT_THAT(translator.Translate("house", options).status().message(),
              HasSubstr("--target-tokenizer"));
}

}  // namespace latimer::phrases_test
