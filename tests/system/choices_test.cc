// What the caller gives the search: the beginning of a translation and banned
// words. Equals generate() of transformers (tests/reference/make_choices.py and
// make_target_prefix.py).
// Tests runtime/request.cc, runtime/search/choose.cc,
// runtime/search/logits_processors.cc, api/word_scores.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "internals.h"
#include "tests/system/demo_model.h"
#include "tests/system/fixture_check.h"
#include "tests/system/tiny_model.h"

namespace latimer::choices_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

using Ids = std::vector<int32_t>;

Ids Translate(Translator& translator, const Ids& source,
              const TranslateOptions& options) {
  const Result<Translation> result = translator.TranslateIds(source, options);
  EXPECT_TRUE(result.ok()) << result.status().message();
  if (!result.ok()) return {};
  return {result->tokens.begin(), result->tokens.end()};
}

// ---- Hugging Face's families ------------------------------------------------

class FamilyChoicesTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, FamilyChoicesTest,
                         ::testing::ValuesIn(ModelsWith("choices.json")),
                         TestName);

TEST_P(FamilyChoicesTest, IdsEqualTransformers) {
  const fs::path folder = TestData(GetParam());
  const ModelBytes file = ConvertModel(folder, WeightType::kF32);
  Translator translator;
  const Status loaded = translator.Load(file.bytes(), &test_workspace);
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  std::ifstream stream(folder / "choices.json");
  const auto fixture = nlohmann::json::parse(stream);
  size_t rows = 0;
  for (const nlohmann::json& fields : fixture["cases"]) {
    for (const nlohmann::json& row : fields["rows"]) {
      SCOPED_TRACE(row.dump());
      TranslateOptions options;
      options.beams = fields["num_beams"].get<uint32_t>();
      options.length_penalty = fields["length_penalty"].get<float>();
      options.early_stopping = EarlyStopping::kHeuristic;
      options.max_target_tokens = fixture["max_tokens"].get<uint32_t>();
      const Ids prefix = row["prefix"];
      options.target_prefix_ids = prefix;
      Ids banned;
      std::vector<uint32_t> ends;
      for (const Ids& sequence : row["banned"].get<std::vector<Ids>>()) {
        banned.insert(banned.end(), sequence.begin(), sequence.end());
        ends.push_back(static_cast<uint32_t>(banned.size()));
      }
      options.banned = {banned, ends};
      EXPECT_EQ(Translate(translator, row["src_ids"], options),
                row["output_ids"].get<Ids>());
      ++rows;
    }
  }
  EXPECT_GE(rows, 12u);
}

// ---- Texts ------------------------------------------------------------------

// The demo model with the tokenizer of its target.
ModelBytes DemoWithTarget(WeightType weights) {
  return CachedModel("target-" + DemoName(weights, UsableTile()), [&] {
    CanonicalModel model = OpenModel(DemoDirectory(), true, {});
    model.target_tokenizer = model.tokenizer->target_text();
    return WriteForThisCpu(model, weights, UsableTile());
  });
}

TEST(TargetPrefixTest, TextsEqualTransformers) {
  const ModelBytes file = DemoWithTarget(WeightType::kF32);
  Translator translator;
  const Status loaded = translator.Load(file.bytes(), &test_workspace);
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  EXPECT_TRUE(translator.model_info().encodes_target);
  size_t rows = 0;
  for (const std::string& line : ReadLines(TestData("target_prefix.jsonl"))) {
    SCOPED_TRACE(line);
    const auto row = nlohmann::json::parse(line);
    const std::string prefix = row["prefix_text"];
    TranslateOptions options;
    options.sentences = false;  // As transformers.
    options.target_prefix = prefix;
    options.beams = 1;
    const std::string source = row["source_text"];
    const Result<Translation> greedy = translator.Translate(source, options);
    ASSERT_TRUE(greedy.ok()) << greedy.status().message();
    EXPECT_EQ(Ids(greedy->tokens.begin(), greedy->tokens.end()),
              row["greedy"].get<Ids>());
    EXPECT_EQ(greedy->text, row["greedy_text"].get<std::string>());
    options.beams = 4;
    const Result<Translation> beams = translator.Translate(source, options);
    ASSERT_TRUE(beams.ok()) << beams.status().message();
    EXPECT_EQ(Ids(beams->tokens.begin(), beams->tokens.end()),
              row["beams_4"].get<Ids>());
    ++rows;
  }
  EXPECT_GE(rows, 50u);
}

TEST(TargetPrefixTest, ReferencesAreTokenizedAsTransformersDoes) {
  const ModelBytes file = DemoWithTarget(WeightType::kF32);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  for (const std::string& line : ReadLines(TestData("target_prefix.jsonl"))) {
    SCOPED_TRACE(line);
    const auto row = nlohmann::json::parse(line);
    Ids ids(200);
    const Result<size_t> count = translator.TokenizeTarget(
        row["reference_text"].get<std::string>(), ids);
    ASSERT_TRUE(count.ok()) << count.status().message();
    ids.resize(*count);
    EXPECT_EQ(ids, row["reference"].get<Ids>());
  }
  Ids few(1);
  EXPECT_EQ(translator.TokenizeTarget("zu viele Wörter", few).status().code(),
            StatusCode::kTextTooLong);
}

TEST(TargetPrefixTest, ScoresAndLanesKnowWhatWasGiven) {
  const ModelBytes file =
      ConvertModel(TinyModel("heads_2_6_gelu"), WeightType::kInt8);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const Ids prefix = {7, 9};
  for (const uint32_t beams : {1u, 3u}) {
    TranslateOptions options;
    options.beams = beams;
    options.max_target_tokens = 12;
    options.target_prefix_ids = prefix;
    std::vector<Ids> alone;
    const std::vector<Ids> sources = {{5, 6, 0}, {8, 12, 7, 0}, {9, 0}};
    for (const Ids& source : sources) {
      alone.push_back(Translate(translator, source, options));
      ASSERT_GE(alone.back().size(), 3u);
      EXPECT_EQ(Ids(alone.back().begin(), alone.back().begin() + 2), prefix);
    }
    for (size_t i = 0; i < sources.size(); ++i) {
      ASSERT_TRUE(translator.BeginIds(sources[i], options, i).ok());
    }
    FinishedTranslation out;
    for (size_t done = 0; done < sources.size();) {
      if (!translator.Advance(&out)) continue;
      ++done;
      EXPECT_EQ(
          Ids(out.translation.tokens.begin(), out.translation.tokens.end()),
          alone[out.ticket]);
    }
    options.scores = true;
    const auto scored = translator.TranslateIds(sources[0], options);
    ASSERT_TRUE(scored.ok());
    EXPECT_EQ(Ids(scored->tokens.begin(), scored->tokens.end()), alone[0]);
    for (size_t i = 0; i < scored->scores.size(); ++i) {
      EXPECT_EQ(scored->scores[i].log_probability == 0.0f, i < 2) << i;
    }
  }
}

TEST(TargetPrefixTest, OnlyTheFirstPartBeginsWithIt) {
  const ModelBytes file = DemoWithTarget(WeightType::kInt8);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  std::string text;
  while (text.size() < 4000) text += "The house is old. ";
  TranslateOptions options;
  options.target_prefix = "Mein";
  const Result<Translation> result = translator.Translate(text, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->text.find("Mein"), 0u);
  EXPECT_EQ(result->text.find("Mein", 4), result->text.npos);
}

TEST(TargetPrefixTest, APrefixMayTakeAllThatIdsLeave) {
  const ModelBytes file = ConvertDemo(WeightType::kInt8);
  auto scratch = std::make_unique<InfoScratch>();
  ModelDescription info;
  ASSERT_TRUE(ReadModelInfo(file.bytes(), false, scratch.get(), &info).ok());
  // No more memory than the longest source of the model needs.
  const auto bytes =
      static_cast<size_t>(PlanWorkspace(info, {.lanes = 1}).bytes);
  Translator translator;
  ASSERT_TRUE(translator
                  .Load(file.bytes(),
                        {reinterpret_cast<std::byte*>(&test_workspace), bytes},
                        {.lanes = 1})
                  .ok());
  Ids source(translator.max_source_tokens() - 12, 20);
  source.back() = 0;
  // A forced first token may come before it.
  const Ids prefix(11, 30);
  TranslateOptions options;
  options.max_target_tokens = 14;
  options.target_prefix_ids = prefix;
  const Ids tokens = Translate(translator, source, options);
  ASSERT_GE(tokens.size(), prefix.size());
  EXPECT_EQ(Ids(tokens.begin(), tokens.begin() + 11), prefix);
  const Ids longer(12, 30);
  options.target_prefix_ids = longer;
  const auto refused = translator.TranslateIds(source, options);
  EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.status().message(), HasSubstr("more than the 11 tokens"));
}

TEST(TargetPrefixTest, AWholeTranslationIsScored) {
  const ModelBytes file = ConvertDemo(WeightType::kInt8);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  Ids ids(64);
  const Result<size_t> count = translator.Tokenize("The house is green.", ids);
  ASSERT_TRUE(count.ok());
  ids.resize(*count);
  TranslateOptions options;
  options.scores = true;
  const auto found = translator.TranslateIds(ids, options);
  ASSERT_TRUE(found.ok());
  const Ids tokens(found->tokens.begin(), found->tokens.end());
  const std::vector<TokenScore> scores(found->scores.begin(),
                                       found->scores.end());
  options.target_prefix_ids = tokens;
  options.beams = 2;
  const auto scored = translator.TranslateIds(ids, options);
  ASSERT_TRUE(scored.ok()) << scored.status().message();
  EXPECT_EQ(Ids(scored->tokens.begin(), scored->tokens.end()), tokens);
  EXPECT_EQ(scored->stop_reason, StopReason::kEos);
  ASSERT_EQ(scored->scores.size(), scores.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    // Without what processors take away: the demo bans its pad.
    EXPECT_NEAR(scored->scores[i].log_probability, scores[i].log_probability,
                1e-3f);
  }
  // The empty translation, of a corpus with an empty line: the score of EOS in
  // the first step.
  const Ids end = {tokens.back()};
  options.target_prefix_ids = end;
  const auto empty = translator.TranslateIds(ids, options);
  ASSERT_TRUE(empty.ok()) << empty.status().message();
  EXPECT_EQ(Ids(empty->tokens.begin(), empty->tokens.end()), end);
  EXPECT_EQ(empty->stop_reason, StopReason::kEos);
  ASSERT_EQ(empty->scores.size(), 1u);
  EXPECT_LT(empty->scores[0].log_probability, -1);
  Ids ends_twice = tokens;
  ends_twice.push_back(tokens.back());
  options.target_prefix_ids = ends_twice;
  const auto refused = translator.TranslateIds(ids, options);
  EXPECT_THAT(refused.status().message(),
              HasSubstr("the token that ends a translation"));
}

TEST(TargetPrefixTest, WhatCannotBeAPrefixIsRefused) {
  const ModelBytes plain = ConvertDemo(WeightType::kInt8);
  Translator translator;
  ASSERT_TRUE(translator.Load(plain.bytes(), &test_workspace).ok());
  EXPECT_FALSE(translator.model_info().encodes_target);
  TranslateOptions options;
  options.target_prefix = "Das";
  const auto text = translator.Translate("The house.", options);
  EXPECT_EQ(text.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(text.status().message(), HasSubstr("--no-target-tokenizer"));
  Ids ids = {5, -1};
  options.target_prefix_ids = ids;
  const auto unknown = translator.Translate("The house.", options);
  EXPECT_THAT(unknown.status().message(), HasSubstr("outside the target"));
  ids.assign(100000, 5);
  options.target_prefix_ids = ids;
  const auto huge = translator.Translate("The house.", options);
  EXPECT_THAT(huge.status().message(), HasSubstr("room"));
  ids = {5, 6, 7};
  options.target_prefix_ids = ids;
  options.max_target_tokens = 3;
  const auto full = translator.Translate("The house.", options);
  EXPECT_THAT(full.status().message(), HasSubstr("nothing could follow"));
  EXPECT_EQ(translator.under_way(), 0u);
}

// ---- Banned words -----------------------------------------------------------

TEST(BannedWordsTest, AWordOfTheTargetDoesNotComeOut) {
  const ModelBytes file = DemoWithTarget(WeightType::kInt8);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  Ids ids(20);
  const Result<size_t> count = translator.TokenizeTarget("Haus", ids);
  ASSERT_TRUE(count.ok());
  const auto end = static_cast<uint32_t>(*count);
  ids.resize(end);
  TranslateOptions options;
  const std::string text = "The house is old.";
  const auto has_word = [&] {
    const Result<Translation> result = translator.Translate(text, options);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return !std::ranges::search(result->tokens, ids).empty();
  };
  EXPECT_TRUE(has_word());
  options.banned = {ids, {&end, 1}};
  EXPECT_FALSE(has_word());
  options.beams = 4;
  EXPECT_FALSE(has_word());
}

TEST(BannedWordsTest, WrongSequencesAreRefused) {
  const ModelBytes file =
      ConvertModel(TinyModel("heads_2_6_gelu"), WeightType::kInt8);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const Ids source = {5, 6, 0};
  const Ids ids = {3, 100000};
  const auto code_of = [&](const std::vector<uint32_t>& ends) {
    TranslateOptions options;
    options.banned = {ids, ends};
    return translator.TranslateIds(source, options).status().code();
  };
  EXPECT_EQ(code_of({0}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of({1, 1}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of({3}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of({2}), StatusCode::kInvalidArgument);
}

// ---- Sampling ---------------------------------------------------------------

TEST(SamplingTest, TokensDependOnSeedAndStreamOnly) {
  const ModelBytes file =
      ConvertModel(TinyModel("heads_2_6_gelu"), WeightType::kInt8);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const Ids source = {5, 6, 0};
  TranslateOptions options;
  options.max_target_tokens = 12;
  options.min_target_tokens = 12;
  options.sampling = {.enabled = true, .top_k = 20, .seed = 3};
  std::vector<Ids> alone;
  for (uint64_t stream = 0; stream < 6; ++stream) {
    options.sampling.stream = stream;
    alone.push_back(Translate(translator, source, options));
    EXPECT_EQ(Translate(translator, source, options), alone.back());
    for (size_t i = 0; i < stream; ++i) EXPECT_NE(alone[i], alone.back());
  }
  for (size_t stream = 0; stream < alone.size(); ++stream) {
    options.sampling.stream = stream;
    ASSERT_TRUE(translator.BeginIds(source, options, stream).ok());
  }
  FinishedTranslation out;
  for (size_t done = 0; done < alone.size();) {
    if (!translator.Advance(&out)) continue;
    ++done;
    EXPECT_EQ(Ids(out.translation.tokens.begin(), out.translation.tokens.end()),
              alone[out.ticket]);
  }
  // The most likely token alone is that of a greedy search.
  options.sampling.top_k = 1;
  const Ids drawn = Translate(translator, source, options);
  options.sampling = {};
  options.beams = 1;
  EXPECT_EQ(drawn, Translate(translator, source, options));
  options.sampling.enabled = true;
  options.beams = 2;
  EXPECT_EQ(translator.TranslateIds(source, options).status().code(),
            StatusCode::kInvalidArgument);
  options.beams = 1;
  for (const float temperature :
       {0.0f, -1.0f, NAN, std::numeric_limits<float>::infinity()}) {
    options.sampling.temperature = temperature;
    EXPECT_EQ(translator.TranslateIds(source, options).status().code(),
              StatusCode::kInvalidArgument)
        << temperature;
  }
}

// ---- Scores of words --------------------------------------------------------

TEST(WordScoresTest, EqualThoseOfTransformersScores) {
  const ModelBytes file = ConvertDemo(WeightType::kF32);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  size_t rows = 0;
  for (const std::string& line : ReadLines(TestData("word_scores.jsonl"))) {
    SCOPED_TRACE(line);
    const auto row = nlohmann::json::parse(line);
    TranslateOptions options;
    options.scores = true;
    const std::string source = row["source_text"];
    const Result<Translation> result = translator.Translate(source, options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    ASSERT_EQ(result->text, row["text"].get<std::string>());
    EXPECT_NEAR(*result->mean_score, row["mean"].get<float>(), 1e-3f);
    std::vector<WordScore> words(result->tokens.size());
    const Result<size_t> count = translator.ScoreWords(*result, words);
    ASSERT_TRUE(count.ok()) << count.status().message();
    ASSERT_EQ(*count, row["words"].size());
    for (size_t i = 0; i < *count; ++i) {
      EXPECT_EQ(words[i].begin, row["words"][i][0].get<size_t>());
      EXPECT_EQ(words[i].end, row["words"][i][1].get<size_t>());
      EXPECT_NEAR(words[i].log_probability, row["words"][i][2].get<float>(),
                  1e-3f);
    }
    EXPECT_EQ(translator.ScoreWords(*result, {words.data(), *count - 1})
                  .status()
                  .code(),
              StatusCode::kTextTooLong);
    ++rows;
  }
  EXPECT_GE(rows, 20u);
}

TEST(WordScoresTest, NeedScoresOfAllOfTheText) {
  const ModelBytes file = ConvertDemo(WeightType::kInt8);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  std::vector<WordScore> words(2000);
  const auto plain = translator.Translate("The house is old.");
  EXPECT_EQ(translator.ScoreWords(*plain, words).status().code(),
            StatusCode::kFailedPrecondition);
  std::string text;
  while (text.size() < 4000) text += "The house is old. ";
  TranslateOptions options;
  options.scores = true;
  const auto parts = translator.Translate(text, options);
  ASSERT_TRUE(parts.ok());
  EXPECT_EQ(translator.ScoreWords(*parts, words).status().code(),
            StatusCode::kFailedPrecondition);
  // The tokens of a protected span are those of its stand-in.
  options.protect = true;
  const auto unknown =
      translator.Translate("Please open {\u0416\u4E2D}.", options);
  ASSERT_TRUE(unknown.ok()) << unknown.status().message();
  EXPECT_THAT(std::string(unknown->text), HasSubstr("{\u0416\u4E2D}"));
  const Status status = translator.ScoreWords(*unknown, words).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("protected span"));
}

}  // namespace latimer::choices_test
