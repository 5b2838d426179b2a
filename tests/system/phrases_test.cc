// Terms and protected spans: what must come out does, with a model that
// translates and with random ones.
// Tests runtime/phrases/source_phrases.cc, runtime/phrases/kept_text.cc,
// runtime/phrases/phrases.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "internals.h"
#include "phrases/kept_text.h"
#include "phrases/source_phrases.h"
#include "tests/converter/model_folder.h"
#include "tests/system/count.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/tiny_model.h"
#include "text/utf8.h"
#include "transformer/engine.h"

namespace latimer::phrases_test {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

// The translations of texts that share steps.
std::vector<std::string> SideBySide(Translator& translator,
                                    const std::vector<std::string>& texts,
                                    const TranslateOptions& options) {
  std::vector<std::string> translations(texts.size());
  size_t begun = 0;
  while (begun < texts.size() || translator.under_way() > 0) {
    while (begun < texts.size() && translator.CanBegin()) {
      TextCursor cursor(texts[begun], options);
      EXPECT_TRUE(translator.Begin(cursor, begun).ok());
      ++begun;
    }
    FinishedTranslation out;
    if (!translator.Advance(&out)) continue;
    EXPECT_TRUE(out.status.ok());
    translations[out.ticket] = out.translation.text;
  }
  return translations;
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
  ExpectSpansOnce(translator, FewerIfSlow(300, 10), {});
}

class RandomModelTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(translator_.Load(file_.bytes(), &test_workspace).ok());
    const auto& languages =
        Internals::Describe(translator_).generation.languages;
    if (!languages.empty()) {
      options_.source_language = languages.front().code;
      options_.target_language = languages.back().code;
    }
  }

  static ModelBytes Convert() {
    const TempFolder folder;
    CopyFamily(GetParam(), folder.path());
    return WriteForThisCpu(OpenModel(folder.path(), /*with_tokenizer=*/true),
                           WeightType::kF32);
  }

  const ModelBytes file_ = Convert();
  Translator translator_;
  TranslateOptions options_;
};

INSTANTIATE_TEST_SUITE_P(Families, RandomModelTest,
                         ::testing::ValuesIn(FamiliesWithTexts()),
                         [](const auto& name) { return name.param; });

TEST_P(RandomModelTest, ProtectedSpansComeOnce) {
  ExpectSpansOnce(translator_, FewerIfSlow(40, 8), options_);
}

TEST_P(RandomModelTest, ATextOfTheLastTokenEndsNoTranslation) {
  const int32_t eos = Internals::Describe(translator_).generation.eos;
  const std::string last(translator_.TargetPiece(eos));
  const std::string span = "{" + last + "}";
  options_.protect = true;
  options_.guards = false;
  options_.min_target_tokens = 20;
  options_.max_target_tokens = 30;
  const std::string source = "Hello " + span + " my friend.";
  for (const uint32_t beams : {1u, 3u}) {
    options_.beams = beams;
    const auto result = translator_.Translate(source, options_);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(Count(result->text, span), 1u) << result->text;
    // A model that can read no letter of it has nothing to translate.
    if (result->text == source) continue;
    EXPECT_GE(result->tokens.size(), 20u);
  }
  if (!translator_.model_info().encodes_target) return;
  options_.protect = false;
  const std::string target = "the" + last + "house";
  int32_t ids[64];
  const auto count = translator_.TokenizeTarget(target, ids);
  ASSERT_TRUE(count.ok());
  const bool ends = std::count(ids, ids + *count, eos) > 0;
  const Term term = {"friend", target};
  options_.terms = {&term, 1};
  EXPECT_EQ(translator_.Translate(source, options_).ok(), !ends);
  options_.terms = {};
  options_.target_prefix = target;
  EXPECT_EQ(translator_.Translate(source, options_).ok(), !ends);
  options_.target_prefix = {};
  // That is all of a translation.
  options_.target_prefix_ids = {&eos, 1};
  const auto empty = translator_.Translate(source, options_);
  ASSERT_TRUE(empty.ok()) << empty.status().message();
  EXPECT_EQ(empty->tokens.back(), eos);
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
  const std::vector<Line> lines = GenerateLines(FewerIfSlow(40, 8));
  TranslateOptions options;
  options.protect = true;
  for (const uint32_t beams : {1u, 2u}) {
    options.beams = beams;
    options.scores = false;
    std::vector<std::string> texts, alone;
    for (const Line& line : lines) {
      texts.push_back(line.text);
      options.scores = texts.size() % 2 == 0;
      alone.emplace_back(translator.Translate(line.text, options)->text);
    }
    options.scores = false;
    EXPECT_EQ(SideBySide(translator, texts, options), alone);
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

class DemoPhrasesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(translator_.Load(file_.bytes(), &test_workspace).ok());
  }

  std::string Translate(std::string_view text) {
    const Result<Translation> result = translator_.Translate(text, options_);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? std::string(result->text) : "";
  }
  std::string TranslateAround(const TextRange& range, std::string_view text) {
    options_.protected_ranges = {&range, 1};
    const std::string translation = Translate(text);
    options_.protected_ranges = {};
    return translation;
  }
  Status Refused(std::string_view text) {
    return translator_.Translate(text, options_).status();
  }

  const ModelBytes file_ = ConvertDemoWithTargetTokenizer();
  Translator translator_;
  TranslateOptions options_;
};

TEST_F(DemoPhrasesTest, WhiteSpaceIsNoSpan) {
  EXPECT_THAT(TranslateAround({0, 1}, " dog"), HasSubstr("und"));
  EXPECT_THAT(TranslateAround({7, 9}, "The fox\u00a0saw the dog."),
              HasSubstr("Hund"));
  const std::string text = "He lives in Paris with Tom.";
  EXPECT_EQ(TranslateAround({11, 12}, text), Translate(text));
}

// More white space than is read for one part.
TEST_F(DemoPhrasesTest, ASpanBehindACodeAndALotOfSpaceComesOut) {
  options_.protect = true;
  const std::string space(3 * kProfile.text_bytes, ' ');
  EXPECT_EQ(Count(Translate(">>x<<" + space + "{a} is in my house."), "{a}"),
            1u);
  EXPECT_EQ(Count(Translate(space + "{a} is in my house."), "{a}"), 1u);
}

TEST_F(DemoPhrasesTest, RangesAreInOrderAndInTheText) {
  const std::string text = "The caf\u00e9 is old.";
  const std::vector<std::vector<TextRange>> wrong = {
      {{0, 7}, {4, 12}}, {{4, 9}, {0, 3}}, {{5, 4}},
      {{0, 1000}},       {{4, 8}},         {{8, 12}}};
  for (const std::vector<TextRange>& ranges : wrong) {
    SCOPED_TRACE(ranges.back().begin);
    options_.protected_ranges = ranges;
    EXPECT_EQ(Refused(text).code(), StatusCode::kInvalidArgument);
  }
  const std::vector<TextRange> right = {{0, 3}, {3, 3}, {4, 9}, {9, 17}};
  options_.protected_ranges = right;
  EXPECT_THAT(Translate(text), HasSubstr("caf\u00e9"));
}

TEST_F(DemoPhrasesTest, ARangeIsKeptInsideATerm) {
  const Term term = {"old house", "Altbau"};
  options_.terms = {&term, 1};
  const std::string text = TranslateAround({17, 22}, "Tom sold his old house.");
  EXPECT_EQ(Count(text, "house"), 1u) << text;
}

TEST_F(DemoPhrasesTest, NoSpanIsCut) {
  std::string text;
  std::vector<TextRange> ranges;
  std::vector<std::string> spans;
  for (int i = 100; text.size() < 5000; ++i) {
    spans.push_back("[my old " + std::to_string(i) + " house is red]");
    const auto begin = static_cast<uint32_t>(text.size());
    text += spans.back();
    ranges.push_back({begin, static_cast<uint32_t>(text.size())});
    text += " and ";
  }
  options_.protected_ranges = ranges;
  const std::string all = Translate(text);
  for (const std::string& span : spans) EXPECT_EQ(Count(all, span), 1u) << span;

  options_ = {};
  options_.protect = true;
  const std::string url = "https://host.org/" + std::string(300, 'x');
  std::string words;
  for (int i = 0; i < 300; ++i) {
    words += "today ";
    if (i % 60 == 0) words += url + " ";
  }
  EXPECT_EQ(Count(Translate(words), url), 5u);
}

TEST_F(DemoPhrasesTest, ASpanThatIsLongerThanAPartComesWhole) {
  const auto text_with = [](const std::string& span) {
    return "Tom, read " + span + " now. How are you? " + span;
  };
  for (const size_t bytes : {400u, 700u, 2000u, 7000u}) {
    std::string url = "https://host.org/";
    while (url.size() < bytes) url += std::to_string(url.size()) + "ä/";
    for (const uint32_t beams : {1u, 3u}) {
      options_ = {};
      options_.beams = beams;
      options_.protect = true;
      const std::string translation = Translate(text_with(url));
      EXPECT_EQ(Count(translation, url), 2u) << translation;
      if (bytes < 1000) continue;  // Words and span are one part.
      EXPECT_THAT(translation, HasSubstr("Wie geht es"));
    }
  }
  // Longer than what a pattern sees: a range may be, a URL may not.
  const std::string longest(3 * kProfile.text_bytes, 'x');
  EXPECT_EQ(Refused(text_with("https://host.org/" + longest)).code(),
            StatusCode::kTextTooLong);
}

// Wherever it is cut, and whatever it has in place of characters.
TEST_F(DemoPhrasesTest, ALongRangeComesWhole) {
  const size_t bytes = kProfile.text_bytes / 2;
  for (const std::string unit :
       {"x", "ab ", "\u6F22", "\U0001F600", "e\u0301\u0302\u0303", "a\xFF"}) {
    for (size_t shift = 0; shift < 4; ++shift) {
      std::string span(1 + shift, '[');
      while (span.size() < bytes) span += unit;
      span += ']';
      const std::string text = "Tom, read " + span + " now.";
      const TextRange range = {10, static_cast<uint32_t>(10 + span.size())};
      options_.protected_ranges = {&range, 1};
      std::string translation;
      for (TextCursor cursor(text, options_); !cursor.done();) {
        const auto part = translator_.TranslateNext(cursor);
        ASSERT_TRUE(part.ok()) << part.status().message();
        translation += part->text;
        translation += part->space;
      }
      EXPECT_EQ(Count(translation, " " + span + " "), 1u) << translation;
    }
  }
}

TEST_F(DemoPhrasesTest, AskingForSpansCostsNoRoom) {
  std::string text;
  const auto first_part = [&] {
    TextCursor cursor(text, options_);
    const auto part = translator_.TranslateNext(cursor);
    EXPECT_TRUE(part.ok()) << part.status().message();
    return part.ok() ? part->source_bytes : 0;
  };
  for (int i = 0; i < 300; ++i) text += "Tom is here. ";
  options_.max_target_tokens = 4;
  const size_t plain = first_part();
  options_.protect = true;
  EXPECT_EQ(first_part(), plain);
}

TEST_F(DemoPhrasesTest, APatternCutsNoCharacter) {
  const std::string_view pattern = "caf\xc3";
  options_.protected_patterns = {&pattern, 1};
  EXPECT_TRUE(IsUtf8(Translate("The caf\u00e9 is old.")));
}

// The phrases of a text, read with a model that is not run.
struct ReadText {
  ReadText(const Model& model, std::string_view text)
      : tokenizer(model.tokenizer),
        reader{model, tokenizer, none, ScratchOf(Buffers(test_workspace))} {
    TranslateOptions options;
    options.protect = true;
    const TextCursor cursor(text, options);
    TextPart part;
    const Status status =
        ReadWithPhrases(reader, cursor, 100, memory, &part, &list);
    EXPECT_TRUE(status.ok()) << status.message();
    Phrase phrase;
    for (size_t at = 0; list.Next(&at, &phrase);) phrases.push_back(phrase);
  }

  Tokenizer tokenizer, none;
  TextReader reader;
  std::vector<int32_t> memory = std::vector<int32_t>(200);
  PhraseList list;
  std::vector<Phrase> phrases;
};

// The text of pieces, which must be in the vocabulary.
std::string Written(const ReadText& text,
                    const std::vector<std::string_view>& pieces) {
  std::vector<int32_t> ids;
  for (const std::string_view piece : pieces) {
    ids.push_back(0);
    while (text.tokenizer.Piece(ids.back()) != piece) ++ids.back();
  }
  char out[200];
  LinkList links;
  const auto bytes =
      WriteKeptText(text.reader, text.list, ids, {}, out, &links);
  EXPECT_TRUE(bytes.ok());
  return {out, bytes.ok() ? *bytes : 0};
}

TEST(SourcePhrasesTest, ProtectedSpansTakeThePlaceOfTheirStandIns) {
  const ModelBytes file = ConvertDemo(WeightType::kInt8);
  Engine engine;
  ASSERT_TRUE(LoadEngine(file.bytes(), {}, &engine).ok());
  const ReadText text(engine.model, "{a} is at 5 km .");
  ASSERT_EQ(text.phrases.size(), 2u);
  EXPECT_EQ(text.phrases[1].text, "5 km");
  EXPECT_EQ(text.phrases[1].stand_in, 1);
  // In another order, glued to a word, and twice.
  EXPECT_EQ(Written(text, {"\u2581", "X", "2", "\u2581jetzt", "\u2581", "X",
                           "1", "en"}),
            "5 km jetzt {a} en");
  EXPECT_EQ(Written(text, {"\u2581", "X", "1", "\u2581jetzt", "\u2581", "X",
                           "1", "\u2581", "X", "2"}),
            "{a} jetzt 5 km");
  // One that did not come back.
  EXPECT_EQ(Written(text, {"\u2581", "X", "2", "\u2581jetzt"}),
            "{a} 5 km jetzt");
}

TEST(SourcePhrasesTest, StandInsAreNoWordsOfTheText) {
  const ModelBytes file = ConvertDemo(WeightType::kInt8);
  Engine engine;
  ASSERT_TRUE(LoadEngine(file.bytes(), {}, &engine).ok());
  EXPECT_EQ(ReadText(engine.model, "{a} is here.").list.stand_in_letter, 'X');
  EXPECT_EQ(ReadText(engine.model, "{a} is an X1.").list.stand_in_letter, 'Z');
  EXPECT_EQ(ReadText(engine.model, "x1 {a} z7").list.stand_in_letter, 'Q');
}

// ---- Terms ------------------------------------------------------------------

TEST(TermsTest, ComeOutWhereverTheirSourceIs) {
  const ModelBytes file = ConvertDemoWithTargetTokenizer();
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
  const ModelBytes file = ConvertDemoWithTargetTokenizer();
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
  const ModelBytes file = ConvertDemoWithTargetTokenizer();
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
  const ModelBytes file = ConvertDemoWithTargetTokenizer();
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
  for (size_t i = 0; i < FewerIfSlow(20, 4); ++i) {
    for (const std::string& line : lines) whole += line + " ";
  }
  TranslateOptions options;
  options.terms = terms;
  for (const uint32_t beams : {1u, 3u}) {
    options.beams = beams;
    const auto translate = [&](const std::string& text) {
      std::string translation(translator.Translate(text, options)->text);
      EXPECT_GE(Count(translation, "Anwesen"), Count(text, "house"));
      EXPECT_GE(Count(translation, "Thomas"), Count(text, "Tom"));
      EXPECT_GE(Count(translation, "Buch"), Count(text, "book"));
      return translation;
    };
    translate(whole);
    std::vector<std::string> alone;
    for (const std::string& line : lines) alone.push_back(translate(line));
    EXPECT_EQ(SideBySide(translator, lines, options), alone);
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
              HasSubstr("--no-target-tokenizer"));
}

TEST_F(DemoPhrasesTest, ATermNeedsATarget) {
  for (const char* target : {"", " "}) {
    const Term term = {"fox", target};
    options_.terms = {&term, 1};
    const Status status = Refused("The fox saw the dog.");
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("fox"));
  }
}

TEST_F(DemoPhrasesTest, ALongTargetComesWhole) {
  const auto numbers = [](int count) {
    std::string text = "100";
    for (int i = 1; i < count; ++i) text += " " + std::to_string(100 + i);
    return text;
  };
  const std::string target = numbers(60);
  const Term term = {"house", target};
  options_.terms = {&term, 1};
  EXPECT_THAT(Translate("The house burns."), HasSubstr(target));
  const std::string too_long = numbers(600);
  const Term longer = {"house", too_long};
  options_.terms = {&longer, 1};
  const Status status = Refused("The house burns.");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("house"));
}

}  // namespace latimer::phrases_test
