// Beam search equals generate() of transformers (tests/reference/make_beams.py)
// and, for every kind of network, a search without caches that is written as
// plainly as possible.
// Tests runtime/search/beams.cc, runtime/search/choose_beams.cc,
// runtime/search/step.cc, runtime/search/scheduler.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "internals.h"
#include "search/shortlist.h"
#include "tests/ops/guarded_memory.h"
#include "tests/system/demo_model.h"
#include "tests/system/fixture_check.h"
#include "tests/system/recurrent_models.h"

namespace latimer::beams_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

using Ids = std::vector<int32_t>;

struct Found {
  Ids ids;
  double score;
};
using Search = std::vector<Found>;

Search Copy(std::span<const Hypothesis> hypotheses) {
  Search search;
  for (const Hypothesis& hypothesis : hypotheses) {
    search.push_back({{hypothesis.tokens.begin(), hypothesis.tokens.end()},
                      static_cast<double>(hypothesis.score)});
  }
  return search;
}

std::vector<Ids> IdsOf(const Search& search) {
  std::vector<Ids> ids;
  for (const Found& found : search) ids.push_back(found.ids);
  return ids;
}

void ExpectSearch(const Search& got, const Search& want, double tolerance) {
  ASSERT_EQ(IdsOf(got), IdsOf(want));
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i].score, want[i].score,
                tolerance * std::max(1.0, std::fabs(want[i].score)));
  }
}

Search Translate(Translator& translator, const Ids& source,
                 const TranslateOptions& options) {
  const Result<Translation> result = translator.TranslateIds(source, options);
  EXPECT_TRUE(result.ok()) << result.status().message();
  if (!result.ok()) return {};
  EXPECT_EQ(Ids(result->tokens.begin(), result->tokens.end()),
            Ids(result->hypotheses[0].tokens.begin(),
                result->hypotheses[0].tokens.end()));
  return Copy(result->hypotheses);
}

// ---- Hugging Face's families ------------------------------------------------

TranslateOptions OptionsOfCase(const nlohmann::json& fields) {
  TranslateOptions options;
  options.beams = fields["num_beams"].get<uint32_t>();
  if (fields.contains("length_penalty")) {
    options.length_penalty = fields["length_penalty"].get<float>();
  }
  if (fields.contains("early_stopping")) {
    options.early_stopping = fields["early_stopping"] == "never"
                                 ? EarlyStopping::kNever
                                 : EarlyStopping::kAlways;
  }
  if (fields.contains("no_repeat_ngram_size")) {
    options.no_repeat_ngram = fields["no_repeat_ngram_size"].get<uint32_t>();
  }
  return options;
}

class FamilyBeamsTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, FamilyBeamsTest,
                         ::testing::ValuesIn(ModelsWith("beams.json")),
                         TestName);

TEST_P(FamilyBeamsTest, HypothesesEqualTransformers) {
  const fs::path folder = TestData(GetParam());
  const ModelBytes file = ConvertModel(folder, WeightType::kF32);
  Translator translator;
  const Status loaded = translator.Load(file.bytes(), &test_workspace);
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  std::ifstream stream(folder / "beams.json");
  const auto fixture = nlohmann::json::parse(stream);
  size_t rows = 0;
  for (const nlohmann::json& fields : fixture["cases"]) {
    TranslateOptions options = OptionsOfCase(fields);
    options.max_target_tokens = fixture["max_new_tokens"].get<uint32_t>();
    for (const nlohmann::json& row : fields["rows"]) {
      SCOPED_TRACE(std::to_string(*options.beams) +
                   " beams: " + row["src_ids"].dump());
      Search want;
      for (size_t i = 0; i < row["scores"].size(); ++i) {
        want.push_back({row["hypotheses"][i], row["scores"][i]});
      }
      ExpectSearch(Translate(translator, row["src_ids"], options), want, 1e-4);
      ++rows;
    }
  }
  EXPECT_GE(rows, 8u);
}

// ---- Every kind of network --------------------------------------------------

// Beam search by the book: sequences are copied, logits are computed from the
// whole prefix each time, and sums are double.
class PlainSearch {
 public:
  explicit PlainSearch(const ModelBytes& file) : network_(file) {}

  Search Of(const Ids& source, const TranslateOptions& options,
            const GenerationConfig& config, size_t max_tokens,
            const std::vector<uint16_t>& shortlist) {
    const size_t beams = *options.beams;
    Search live = {{{}, 0.0}};
    Search done;
    for (size_t length = 0; length < max_tokens; ++length) {
      Search all;
      for (const Found& beam : live) {
        std::vector<float> logits =
            network_.Of(source, beam.ids, options, length + 1).back();
        Mask(shortlist, &logits);
        double sum = 0;
        for (const float logit : logits) sum += std::exp(double{logit});
        for (size_t token = 0; token < logits.size(); ++token) {
          if (IsBanned(config, static_cast<int32_t>(token))) continue;
          all.push_back({beam.ids, beam.score + logits[token] - std::log(sum)});
          all.back().ids.push_back(static_cast<int32_t>(token));
        }
      }
      std::ranges::stable_sort(all, std::greater(), &Found::score);
      all.resize(std::min(all.size(), 2 * beams));
      live.clear();
      for (size_t i = 0; i < all.size(); ++i) {
        Found& found = all[i];
        if (found.ids.back() != config.eos && length + 1 < max_tokens) {
          if (live.size() < beams) live.push_back(found);
        } else if (i < beams) {
          found.score /= std::pow(static_cast<double>(length + 1),
                                  double{*options.length_penalty});
          done.push_back(found);
        }
      }
      std::ranges::stable_sort(done, std::greater(), &Found::score);
      done.resize(std::min(done.size(), beams));
      if (live.empty()) break;
      if (done.size() == beams &&
          live[0].score / std::pow(static_cast<double>(length + 1),
                                   double{*options.length_penalty}) <=
              done.back().score) {
        break;
      }
    }
    return done;
  }

  static void Mask(const std::vector<uint16_t>& shortlist,
                   std::vector<float>* logits) {
    for (size_t i = 0; i < logits->size() && !shortlist.empty(); ++i) {
      if ((shortlist[i / 16] >> i % 16 & 1) == 0) (*logits)[i] = -INFINITY;
    }
  }
  // Only bans of one token.
  static bool IsBanned(const GenerationConfig& config, int32_t token) {
    return std::ranges::find(config.banned_tokens, token) !=
           config.banned_tokens.end();
  }

 private:
  StepLogits network_;
};

std::vector<Ids> RandomSources(const ModelDescription& info, size_t count) {
  std::vector<Ids> sources(count);
  uint32_t random = 7;
  for (Ids& ids : sources) {
    for (uint32_t i = 0; i < 3 + 2 * (ids.size() % 4); ++i) {
      random = random * 1664525 + 1013904223;
      ids.push_back(static_cast<int32_t>((random >> 8) %
                                         info.architecture.source_vocabulary));
    }
    ids.push_back(info.generation.eos);
  }
  return sources;
}

// Empty if the model has none.
std::vector<uint16_t> ShortlistOf(const ModelBytes& file,
                                  const ModelDescription& info,
                                  const Ids& source) {
  if (!info.has_shortlist) return {};
  Engine engine;
  EXPECT_TRUE(LoadEngine(file.bytes(), {}, &engine).ok());
  const uint16_t* masks =
      AllowTokens(engine, test_workspace, source, /*lane=*/0).masks;
  return {masks, masks + (info.architecture.target_vocabulary + 15) / 16};
}

void ExpectPlainSearch(const ModelBytes& file, double tolerance) {
  PlainSearch plain(file);
  Translator translator;
  constexpr size_t kTokens = 7;
  size_t clear = 0;
  for (const uint32_t beams : {2u, 3u, 5u}) {
    TranslateOptions options;
    options.beams = beams;
    options.max_target_tokens = kTokens;
    options.length_penalty = 0.8f;
    options.early_stopping = EarlyStopping::kHeuristic;
    ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
    const ModelDescription info = Internals::Describe(translator);
    for (const Ids& source : RandomSources(info, 3)) {
      ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
      const Search got = Translate(translator, source, options);
      const Search want = plain.Of(source, options, info.generation, kTokens,
                                   ShortlistOf(file, info, source));
      // Near ties may be decided either way.
      bool close = false;
      for (size_t i = 1; i < want.size(); ++i) {
        close = close || want[i - 1].score - want[i].score < 1e-4;
      }
      if (close) continue;
      ++clear;
      SCOPED_TRACE(beams);
      ExpectSearch(got, want, tolerance);
    }
  }
  EXPECT_GE(clear, 3u);
}

class PlainSearchTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Recurrent, PlainSearchTest,
                         ::testing::ValuesIn(RecurrentNames()),
                         [](const auto& model) { return model.param; });

TEST_P(PlainSearchTest, StatesOfBeamsFollowTheirAncestors) {
  ExpectPlainSearch(ConvertRecurrent(GetParam(), WeightType::kF32), 1e-4);
}

TEST(PlainSearchTest, NativeStudentsWithSsruAndShortlists) {
  for (const std::string& name : NamesIn(TestData("tiny_native"))) {
    SCOPED_TRACE(name);
    ExpectPlainSearch(
        ConvertModel(TestData("tiny_native") / name, WeightType::kF32), 1e-4);
  }
}

TEST(PlainSearchTest, Int8WithAndWithoutAPrunedArgmax) {
  for (const char* name :
       {"heads_1_relu", "separate_untied", "learned_positions"}) {
    SCOPED_TRACE(name);
    ExpectPlainSearch(ConvertModel(TinyModel(name), WeightType::kInt8), 1e-4);
  }
}

// ---- Alternatives -----------------------------------------------------------

// The log-probabilities of all tokens at each of the first `steps` steps,
// without caches or a search. Uses test_workspace.
std::vector<std::vector<double>> LogProbabilities(
    const ModelBytes& file, const ModelDescription& info, const Ids& source,
    const Ids& target, const TranslateOptions& options, size_t steps) {
  const std::vector<uint16_t> shortlist = ShortlistOf(file, info, source);
  std::vector<std::vector<double>> all;
  for (std::vector<float>& logits :
       StepLogits(file).Of(source, target, options, steps)) {
    PlainSearch::Mask(shortlist, &logits);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(double{logit});
    std::vector<double>& of_step = all.emplace_back();
    for (const float logit : logits) of_step.push_back(logit - std::log(sum));
  }
  return all;
}

// The best tokens after `prefix`, each completed by a greedy search of its own;
// best first. Empty if near ties may be decided either way.
Search PlainAlternatives(const ModelBytes& file, Translator& translator,
                         const Ids& source, const Ids& prefix,
                         TranslateOptions options) {
  const size_t count = *std::exchange(options.alternatives, std::nullopt);
  options.beams = 1;
  const ModelDescription info = Internals::Describe(translator);
  const auto step =
      LogProbabilities(file, info, source, prefix, options, prefix.size() + 1)
          .back();
  Search first;
  for (size_t token = 0; token < step.size(); ++token) {
    const auto id = static_cast<int32_t>(token);
    if (PlainSearch::IsBanned(info.generation, id)) continue;
    first.push_back({prefix, step[token]});
    first.back().ids.push_back(id);
  }
  std::ranges::stable_sort(first, std::greater(), &Found::score);
  if (first[count - 1].score - first[count].score < 1e-4) return {};
  first.resize(count);
  for (Found& found : first) {
    if (found.ids.back() != info.generation.eos) {
      EXPECT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
      options.target_prefix_ids = found.ids;
      const Result<Translation> rest = translator.TranslateIds(source, options);
      EXPECT_TRUE(rest.ok()) << rest.status().message();
      if (!rest.ok()) return {};
      found.ids.assign(rest->tokens.begin(), rest->tokens.end());
    }
    options.target_prefix_ids = {};
    const auto steps = LogProbabilities(file, info, source, found.ids, options,
                                        found.ids.size());
    found.score = 0;
    for (size_t i = prefix.size(); i < found.ids.size(); ++i) {
      found.score += steps[i][static_cast<size_t>(found.ids[i])];
    }
    found.score /=
        std::pow(static_cast<double>(found.ids.size() - prefix.size()),
                 double{info.generation.search.length_penalty});
  }
  std::ranges::stable_sort(first, std::greater(), &Found::score);
  for (size_t i = 1; i < count; ++i) {
    if (first[i - 1].score - first[i].score < 1e-4) return {};
  }
  return first;
}

void ExpectPlainAlternatives(const ModelBytes& file) {
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  size_t clear = 0;
  for (const Ids& source : RandomSources(Internals::Describe(translator), 3)) {
    TranslateOptions options;
    options.beams = 1;
    options.max_target_tokens = 9;
    const auto greedy = translator.TranslateIds(source, options);
    ASSERT_TRUE(greedy.ok());
    const Ids best(greedy->tokens.begin(), greedy->tokens.end());
    options.beams = {};
    for (size_t given = 0; given < std::min<size_t>(best.size(), 3); ++given) {
      const Ids prefix(best.begin(), best.begin() + given);
      for (const uint32_t alternatives : {2u, 5u}) {
        options.alternatives = alternatives;
        options.target_prefix_ids = prefix;
        const Search got = Translate(translator, source, options);
        options.target_prefix_ids = {};
        const Search want =
            PlainAlternatives(file, translator, source, prefix, options);
        ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
        if (want.empty()) continue;
        ++clear;
        SCOPED_TRACE(given);
        ExpectSearch(got, want, 1e-4);
      }
    }
  }
  EXPECT_GE(clear, 3u);
}

class AlternativesTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Recurrent, AlternativesTest,
                         ::testing::Values("bahdanau", "lstm_layers"),
                         [](const auto& model) { return model.param; });

TEST_P(AlternativesTest, EachIsCompletedGreedily) {
  ExpectPlainAlternatives(ConvertRecurrent(GetParam(), WeightType::kF32));
}

TEST(AlternativesTest, TransformersAndStudentsCompleteEachGreedily) {
  for (const char* name : {"heads_1_relu", "separate_untied"}) {
    SCOPED_TRACE(name);
    ExpectPlainAlternatives(ConvertModel(TinyModel(name), WeightType::kInt8));
  }
  for (const std::string& name : NamesIn(TestData("tiny_native"))) {
    SCOPED_TRACE(name);
    ExpectPlainAlternatives(
        ConvertModel(TestData("tiny_native") / name, WeightType::kF32));
  }
}

TEST(AlternativesTest, TheyGoWithoutBeamsAndSampling) {
  const ModelBytes file =
      ConvertModel(TinyModel("heads_1_relu"), WeightType::kInt8);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const Ids source = {5, 6, 0};
  TranslateOptions options;
  options.alternatives = 2;
  options.beams = 2;
  EXPECT_THAT(translator.TranslateIds(source, options).status().message(),
              HasSubstr("alternatives or of beams"));
  options.beams = {};
  options.sampling.enabled = true;
  EXPECT_THAT(translator.TranslateIds(source, options).status().message(),
              HasSubstr("without alternatives"));
  options = {.alternatives = kProfile.beams + 1};
  EXPECT_FALSE(translator.TranslateIds(source, options).ok());
}

// ---- Beams beside others ----------------------------------------------------

ModelBytes TinyInt8() {
  return ConvertModel(TinyModel("heads_2_6_gelu"), WeightType::kInt8);
}

std::vector<Search> SideBySide(Translator& translator,
                               const std::vector<Ids>& sources,
                               const std::vector<TranslateOptions>& options) {
  std::vector<Search> all(sources.size());
  size_t begun = 0;
  while (begun < sources.size() || translator.under_way() > 0) {
    while (begun < sources.size() && translator.CanBegin()) {
      const Status status =
          translator.BeginIds(sources[begun], options[begun], begun);
      EXPECT_TRUE(status.ok()) << status.message();
      ++begun;
    }
    FinishedTranslation out;
    if (!translator.Advance(&out)) continue;
    EXPECT_TRUE(out.status.ok()) << out.status.message();
    all[out.ticket] = Copy(out.translation.hypotheses);
    if (all[out.ticket].empty()) {
      all[out.ticket] = {
          {{out.translation.tokens.begin(), out.translation.tokens.end()},
           0.0}};
    }
  }
  return all;
}

void ExpectEqualSearches(const std::vector<Search>& got,
                         const std::vector<Search>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    SCOPED_TRACE(i);
    ExpectSearch(got[i], want[i], 0.0);
  }
}

// Sentences with different numbers of beams, alone, side by side, with two
// threads, and in memory that is so small that they have to wait and restart.
TEST(BeamLanesTest, SentencesGetWhatTheyGetAlone) {
  const ModelBytes file = TinyInt8();
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const std::vector<Ids> sources =
      RandomSources(Internals::Describe(translator), 24);
  std::vector<TranslateOptions> options(sources.size());
  std::vector<Search> alone;
  for (size_t i = 0; i < sources.size(); ++i) {
    const auto number = static_cast<uint32_t>(1 + i % 4);
    (i % 8 < 4 ? options[i].beams : options[i].alternatives) = number;
    options[i].max_target_tokens = 30;
    options[i].min_target_tokens = static_cast<uint32_t>(i);
    alone.push_back(SideBySide(translator, {sources[i]}, {options[i]}).front());
  }
  ExpectEqualSearches(SideBySide(translator, sources, options), alone);
  ASSERT_TRUE(
      translator.Load(file.bytes(), &test_workspace, {.threads = 2}).ok());
  ExpectEqualSearches(SideBySide(translator, sources, options), alone);
  for (const uint32_t lanes : {1u, 2u, 9u}) {
    const LoadOptions load = {.lanes = lanes, .beams = 4};
    const auto bytes = static_cast<size_t>(
        PlanWorkspace(Internals::Describe(translator), load).bytes);
    GuardedBytes memory(bytes);
    ASSERT_TRUE(
        translator.Load(file.bytes(), {memory.As<std::byte>(), bytes}, load)
            .ok());
    EXPECT_EQ(translator.max_beams(), 4u);
    ExpectEqualSearches(SideBySide(translator, sources, options), alone);
    ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  }
}

TEST(BeamLanesTest, MoreBeamsThanThereIsRoomForAreRefused) {
  const ModelBytes file = TinyInt8();
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const Ids source = {5, 6, 0};
  TranslateOptions options;
  options.beams = kProfile.beams + 1;
  const auto result = translator.TranslateIds(source, options);
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(result.status().message(), HasSubstr("beams"));
}

// A number that stood for one that is not given is refused.
TEST(BeamOptionsTest, WhatIsNotGivenIsAbsentAndNotZeroOrNotANumber) {
  const ModelBytes file = TinyInt8();
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  EXPECT_EQ(translator.Load(file.bytes(), &test_workspace, {.lanes = 0}).code(),
            StatusCode::kInvalidArgument);
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const Ids source = {5, 6, 0};
  const TranslateOptions kRefused[] = {
      {.max_target_tokens = 0},
      {.forced_first_token = -1},
      {.repetition_penalty = 0.0f},
      {.beams = 0},
      {.alternatives = 0},
      {.length_penalty = std::numeric_limits<float>::quiet_NaN()},
      {.sampling = {.enabled = true, .top_k = 0}},
      {.budget_tokens = 0},
      {.budget_ms = 0}};
  for (const TranslateOptions& options : kRefused) {
    SCOPED_TRACE(&options - kRefused);
    const Status status = translator.TranslateIds(source, options).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.message();
  }
  EXPECT_TRUE(translator.TranslateIds(source, {.no_repeat_ngram = 0}).ok());
}

// ---- What is recorded and reported ------------------------------------------

TEST(BeamResultTest, ScoresOfTokensAddUpToTheHypothesis) {
  const ModelBytes file = TinyInt8();
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  for (const Ids& source : RandomSources(Internals::Describe(translator), 6)) {
    TranslateOptions options;
    options.beams = 3;
    options.max_target_tokens = 20;
    options.length_penalty = 0.5f;
    const Search want = Translate(translator, source, options);
    options.scores = true;
    options.attention = AttentionKind::kCross;
    const Result<Translation> result = translator.TranslateIds(source, options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    ExpectSearch(Copy(result->hypotheses), want, 0.0);
    const size_t tokens = want[0].ids.size();
    ASSERT_EQ(result->scores.size(), tokens);
    double sum = 0;
    for (const TokenScore& score : result->scores) {
      sum += static_cast<double>(score.log_probability);
    }
    EXPECT_NEAR(sum / std::sqrt(static_cast<double>(tokens)), want[0].score,
                1e-4);
    EXPECT_EQ(result->attention.rows, tokens);
    for (size_t row = 0; row < tokens; ++row) {
      float total = 0;
      for (const float weight : result->attention.Row(0, 0, row)) {
        total += weight;
      }
      EXPECT_NEAR(total, 1.0f, 1e-4f);
    }
  }
}

TEST(BeamResultTest, TokensAreReportedOnceInOrder) {
  const ModelBytes file = TinyInt8();
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const Ids source = RandomSources(Internals::Describe(translator), 1)[0];
  Ids reported;
  TranslateOptions options;
  options.beams = 4;
  options.max_target_tokens = 12;
  options.scores = true;
  options.token_context = &reported;
  options.on_token = [](void* context, size_t index, int32_t token) {
    auto& ids = *static_cast<Ids*>(context);
    EXPECT_EQ(index, ids.size());
    ids.push_back(token);
    return true;
  };
  const Search search = Translate(translator, source, options);
  EXPECT_EQ(reported, search[0].ids);
}

TEST(BeamResultTest, WhatIsRecordedOfATranslationCannotBeCancelled) {
  const ModelBytes file = TinyInt8();
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const Ids source = RandomSources(Internals::Describe(translator), 1)[0];
  std::atomic<bool> cancel = false;
  TranslateOptions options;
  options.beams = 4;
  options.max_target_tokens = 12;
  const Search search = Translate(translator, source, options);
  options.scores = true;
  options.cancel = &cancel;
  options.token_context = &cancel;
  // When the search has ended.
  options.on_token = [](void* context, size_t, int32_t) {
    *static_cast<std::atomic<bool>*>(context) = true;
    return true;
  };
  const Result<Translation> result = translator.TranslateIds(source, options);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(cancel);
  EXPECT_TRUE(std::ranges::equal(result->tokens, search[0].ids));
  EXPECT_EQ(result->scores.size(), search[0].ids.size());
}

TEST(BeamResultTest, ABudgetKeepsTheBestBeam) {
  const ModelBytes file = TinyInt8();
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const Ids source = RandomSources(Internals::Describe(translator), 1)[0];
  TranslateOptions options;
  options.beams = 4;
  options.min_target_tokens = 10;
  options.max_target_tokens = 20;
  options.budget_tokens = 3;
  const Result<Translation> result = translator.TranslateIds(source, options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->stop_reason, StopReason::kBudget);
  EXPECT_EQ(result->tokens.size(), 3u);
  std::atomic<bool> cancel = true;
  options.cancel = &cancel;
  const Result<Translation> none = translator.TranslateIds(source, options);
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->stop_reason, StopReason::kCancelled);
  EXPECT_TRUE(none->tokens.empty());
}

// ---- The model's own rule ---------------------------------------------------

TEST(BeamRuleTest, TheModelsRuleHoldsUnlessTheCallerHasAnother) {
  const fs::path folder = TestData("tiny_families") / "bart_cnn";
  const ModelBytes file = ConvertModel(folder, WeightType::kF32);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const BeamRule& rule = Internals::Describe(translator).generation.search;
  EXPECT_EQ(rule.beams, 4u);
  EXPECT_EQ(rule.length_penalty, 2.0f);
  const Ids source = {17, 23, 2};
  TranslateOptions options;
  const Search own = Translate(translator, source, options);
  options.beams = 4;
  options.length_penalty = 2.0f;
  ExpectSearch(Translate(translator, source, options), own, 0.0);
  options.beams = 1;
  const Result<Translation> greedy = translator.TranslateIds(source, options);
  ASSERT_TRUE(greedy.ok());
  EXPECT_TRUE(greedy->hypotheses.empty());
}

}  // namespace latimer::beams_test
