// Sentences that are decoded side by side get what they get alone.
// Tests runtime/search/step.cc, runtime/search/choose_windows.cc,
// runtime/search/scheduler.cc, runtime/search/cache_pool.cc,
// runtime/transformer/buffers.cc, runtime/translator.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "internals.h"
#include "tests/ops/guarded_memory.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/program.h"
#include "tests/system/recurrent_models.h"
#include "tests/system/tiny_model.h"

namespace latimer::lanes_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

using Ids = std::vector<int32_t>;

Ids Copy(std::span<const int32_t> ids) { return {ids.begin(), ids.end()}; }

std::vector<Ids> OneByOne(Translator& translator,
                          const std::vector<Ids>& sources,
                          const TranslateOptions& options = {}) {
  std::vector<Ids> all;
  for (const Ids& source : sources) {
    const auto result = translator.TranslateIds(source, options);
    EXPECT_TRUE(result.ok()) << result.status().message();
    all.push_back(Copy(result->tokens));
  }
  return all;
}

// Translates up to `lanes` at a time. `finished` receives the order in which
// they end.
std::vector<Ids> SideBySide(Translator& translator,
                            const std::vector<Ids>& sources, size_t lanes,
                            const TranslateOptions& options = {},
                            std::vector<uint64_t>* finished = nullptr) {
  std::vector<Ids> all(sources.size());
  size_t begun = 0;
  while (begun < sources.size() || translator.under_way() > 0) {
    while (begun < sources.size() && translator.under_way() < lanes &&
           translator.CanBegin()) {
      const Status status = translator.BeginIds(sources[begun], options, begun);
      EXPECT_TRUE(status.ok()) << status.message();
      if (!status.ok()) return all;
      ++begun;
    }
    FinishedTranslation out;
    if (!translator.Advance(&out)) continue;
    EXPECT_TRUE(out.status.ok()) << out.status.message();
    Ids read = Copy(out.translation.source);
    if (Internals::Describe(translator).generation.source_length >
        0) {  // Padded.
      read.resize(std::min(read.size(), sources[out.ticket].size()));
    }
    EXPECT_EQ(read, sources[out.ticket]);
    all[out.ticket] = Copy(out.translation.tokens);
    if (finished != nullptr) finished->push_back(out.ticket);
  }
  return all;
}

std::vector<Ids> DemoSources() {
  std::vector<Ids> sources;
  for (const FixtureRow& row : ReadDemoFixture(SmallDemoDirectory())) {
    sources.push_back(row.source);
  }
  sources.resize(FewerIfSlow(sources.size(), size_t{12}));
  return sources;
}

// Random ids of a vocabulary, of 1 to `longest`.
std::vector<Ids> RandomSources(uint32_t vocabulary, uint32_t longest) {
  std::vector<Ids> sources;
  uint32_t random = 1;
  const auto next = [&](uint32_t below) {
    random = random * 1664525 + 1013904223;
    return (random >> 8) % below;
  };
  for (size_t i = 0; i < FewerIfSlow(16, 8); ++i) {
    Ids& ids = sources.emplace_back();
    const uint32_t count = 1 + next(std::min(longest, 24u));
    for (uint32_t j = 0; j < count; ++j) {
      ids.push_back(static_cast<int32_t>(next(vocabulary)));
    }
  }
  return sources;
}

void ExpectTheSame(const ModelBytes& file, const TranslateOptions& options = {},
                   uint32_t threads = 1) {
  Translator translator;
  const Status status =
      translator.Load(file.bytes(), &test_workspace, {.threads = threads});
  ASSERT_TRUE(status.ok()) << status.message();
  const std::vector<Ids> sources = RandomSources(
      Internals::Describe(translator).architecture.source_vocabulary,
      translator.max_source_tokens());
  const std::vector<Ids> expected = OneByOne(translator, sources, options);
  for (const size_t lanes : {size_t{2}, size_t{kProfile.lanes}}) {
    EXPECT_EQ(SideBySide(translator, sources, lanes, options), expected)
        << lanes;
  }
  // In what the model needs, and with a little more for the caches.
  const std::pair<uint32_t, uint64_t> kFits[] = {
      {1, 0}, {2, 50}, {kProfile.lanes, 0}};
  for (const auto& [lanes, tokens] : kFits) {
    if (lanes > kProfile.lanes) continue;
    const LoadOptions load = {.threads = threads, .lanes = lanes};
    const WorkspacePlan plan =
        PlanWorkspace(Internals::Describe(translator), load);
    EXPECT_LE(plan.bytes, sizeof(Workspace));
    GuardedBytes memory(static_cast<size_t>(
        Padded(plan.bytes + tokens * plan.cached_token_bytes)));
    Translator fitted;
    const Status loaded = fitted.Load(
        file.bytes(), {memory.As<std::byte>(), memory.size()}, load);
    ASSERT_TRUE(loaded.ok()) << loaded.message();
    EXPECT_EQ(SideBySide(fitted, sources, lanes, options), expected)
        << lanes << " lanes, " << tokens << " more tokens";
  }
}

TEST(WorkspaceTest, AModelTakesAsManyLanesAsThereIsRoomFor) {
  if (kProfile.lanes < 4) GTEST_SKIP() << "this profile has too few lanes";
  const ModelBytes file = ConvertModel(TinyModel("no_scale"), WeightType::kF32);
  ModelDescription info;
  ASSERT_TRUE(ReadModelInfo(file.bytes(), true, &test_workspace, &info).ok());
  const auto lanes_in = [&](size_t bytes) {
    GuardedBytes memory(bytes);
    Translator translator;
    const Status status =
        translator.Load(file.bytes(), {memory.As<std::byte>(), bytes});
    EXPECT_TRUE(status.ok()) << status.message();
    size_t lanes = 0;
    while (translator.CanBegin()) {
      EXPECT_TRUE(translator.BeginIds(Ids{22, 0}, {}, lanes++).ok());
    }
    return lanes;
  };
  const auto needed = [&](std::optional<uint32_t> lanes) {
    return static_cast<size_t>(PlanWorkspace(info, {.lanes = lanes}).bytes);
  };
  EXPECT_EQ(lanes_in(needed(1)), 1u);
  EXPECT_EQ(lanes_in(needed(3)), 3u);
  EXPECT_EQ(lanes_in(needed(4) - 64), 3u);
  EXPECT_EQ(lanes_in(needed(std::nullopt)), kProfile.lanes);
}

TEST(WorkspaceTest, OneThatIsTooSmallOrMisplacedIsRefused) {
  const ModelBytes file = ConvertModel(TinyModel("no_scale"), WeightType::kF32);
  ModelDescription info;
  ASSERT_TRUE(ReadModelInfo(file.bytes(), true, &test_workspace, &info).ok());
  const auto needed =
      static_cast<size_t>(PlanWorkspace(info, {.lanes = 1}).bytes);
  GuardedBytes memory(needed);
  Translator translator;
  const auto message = [&](size_t begin, size_t bytes) {
    const Status status =
        translator.Load(file.bytes(), {memory.As<std::byte>() + begin, bytes});
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_THAT(message(0, needed - 64),
              HasSubstr("needs at least " + std::to_string(needed)));
  EXPECT_THAT(message(0, 100), HasSubstr("The workspace has 64 bytes"));
  EXPECT_THAT(message(0, 0), HasSubstr("The workspace has 0 bytes"));
  EXPECT_THAT(message(32, needed - 32), HasSubstr("a multiple of 64"));
  // As a caller that was compiled with the header of another profile.
  const Status status =
      translator.Load(file.bytes(), &test_workspace, {}, needed - 64);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(translator
                .Load(file.bytes(), {memory.As<std::byte>(), needed},
                      {.lanes = kProfile.lanes + 1})
                .code(),
            StatusCode::kInvalidArgument);
}

TEST(WorkspaceTest, WithoutRoomForAttentionAndScoresThereAreNone) {
  const ModelBytes file = ConvertModel(TinyModel("no_scale"), WeightType::kF32);
  ModelDescription info;
  ASSERT_TRUE(ReadModelInfo(file.bytes(), true, &test_workspace, &info).ok());
  for (const bool room : {false, true}) {
    const LoadOptions load = {.lanes = 1, .attention = room, .scores = room};
    GuardedBytes memory(static_cast<size_t>(PlanWorkspace(info, load).bytes));
    Translator translator;
    ASSERT_TRUE(
        translator
            .Load(file.bytes(), {memory.As<std::byte>(), memory.size()}, load)
            .ok());
    TranslateOptions options;
    options.scores = true;
    EXPECT_EQ(translator.TranslateIds(Ids{22, 0}, options).ok(), room);
    options.scores = false;
    options.attention = AttentionKind::kCross;
    const auto result = translator.TranslateIds(Ids{22, 0}, options);
    EXPECT_EQ(result.ok(), room);
    if (!room) {
      EXPECT_THAT(result.status().message(), HasSubstr("without room for"));
    }
  }
}

class LanesDemoTest : public testing::TestWithParam<WeightType> {
 protected:
  void SetUp() override {
    if (kProfile.lanes == 1) GTEST_SKIP() << "this profile has one lane";
    file_ = std::make_unique<ModelBytes>(ConvertSmallDemo(GetParam()));
    const Status status = translator_.Load(file_->bytes(), &test_workspace);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  std::unique_ptr<ModelBytes> file_;
  Translator translator_;
};

// All takes minutes under an emulator.
const std::vector<WeightType> kWeights =
    kEmulated ? std::vector{WeightType::kInt8}
              : std::vector{WeightType::kInt8, WeightType::kF32};
std::vector<size_t> LaneCounts(WeightType weights) {
  if (kEmulated || weights == WeightType::kF32) return {3, kProfile.lanes};
  return {2, 3, 11, 16, kProfile.lanes};
}

INSTANTIATE_TEST_SUITE_P(Weights, LanesDemoTest, testing::ValuesIn(kWeights),
                         [](const auto& weights) {
                           return weights.param == WeightType::kF32 ? "F32"
                                                                    : "Int8";
                         });

TEST_P(LanesDemoTest, SentencesGetTheTokensThatTheyGetAlone) {
  const std::vector<Ids> sources = DemoSources();
  const std::vector<Ids> expected = OneByOne(translator_, sources);
  for (const size_t lanes : LaneCounts(GetParam())) {
    std::vector<uint64_t> finished;
    EXPECT_EQ(SideBySide(translator_, sources, lanes, {}, &finished), expected)
        << lanes;
    // Short ones do not wait for long ones.
    EXPECT_FALSE(std::ranges::is_sorted(finished)) << lanes;
  }
}

TEST_P(LanesDemoTest, EachSentenceObeysItsOwnRules) {
  std::vector<Ids> sources = DemoSources();
  sources.resize(12);
  const std::vector<int32_t> suppressed = {5, 9, 17, 300, 1000, 2000, 3711};
  const std::vector<TranslateOptions> options = {
      {.max_target_tokens = 5, .language_code = {}},
      {.min_target_tokens = 30, .language_code = {}},
      {.language_code = {}, .forced_first_token = 3000},
      {.min_target_tokens = 40, .language_code = {}, .no_repeat_ngram = 2},
      {.language_code = {}, .repetition_penalty = 1.7f},
      {.language_code = {}, .suppressed = suppressed}};
  std::vector<Ids> expected;
  for (size_t i = 0; i < sources.size(); ++i) {
    const auto result =
        translator_.TranslateIds(sources[i], options[i % options.size()]);
    ASSERT_TRUE(result.ok());
    expected.push_back(Copy(result->tokens));
  }
  for (size_t i = 0; i < sources.size(); ++i) {
    ASSERT_TRUE(
        translator_.BeginIds(sources[i], options[i % options.size()], i).ok());
  }
  size_t count = 0;
  while (translator_.under_way() > 0) {
    FinishedTranslation finished;
    if (!translator_.Advance(&finished)) continue;
    EXPECT_EQ(Copy(finished.translation.tokens), expected[finished.ticket])
        << finished.ticket;
    ++count;
  }
  EXPECT_EQ(count, sources.size());
}

TEST_P(LanesDemoTest, ThreadsGiveTheSame) {
  ExpectTheSame(*file_, {.max_target_tokens = 12, .language_code = {}},
                std::min(3u, kProfile.threads));
}

TEST_P(LanesDemoTest, TextsGiveTheirTextAndWhereTheyEnd) {
  const std::vector<std::string> texts = {"Good morning!", "   ", "Tom sings."};
  for (size_t i = 0; i < texts.size(); ++i) {
    TextCursor cursor(texts[i], {});
    const Status begun = translator_.Begin(cursor, i);
    ASSERT_TRUE(begun.ok()) << begun.message();
    EXPECT_EQ(cursor.source_bytes(), texts[i].size());
  }
  std::map<uint64_t, std::string> found;
  while (translator_.under_way() > 0) {
    FinishedTranslation finished;
    if (translator_.Advance(&finished)) {
      found[finished.ticket] = finished.translation.text;
    }
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto alone = translator_.Translate(texts[i]);
    ASSERT_TRUE(alone.ok());
    EXPECT_EQ(found[i], alone->text);
  }
}

TEST_P(LanesDemoTest, WhatCannotBeginNowIsRefusedByASentence) {
  const Ids source = DemoSources()[0];
  for (uint32_t i = 0; i < kProfile.lanes; ++i) {
    EXPECT_TRUE(translator_.CanBegin());
    EXPECT_TRUE(translator_.BeginIds(source, {}, i).ok());
  }
  EXPECT_FALSE(translator_.CanBegin());
  EXPECT_THAT(translator_.BeginIds(source, {}, 99).message(),
              HasSubstr("no more may begin now"));
  EXPECT_THAT(translator_.TranslateIds(source).status().message(),
              HasSubstr("are under way"));
  EXPECT_EQ(translator_.Translate("Hi.").status().code(),
            StatusCode::kFailedPrecondition);
  FinishedTranslation finished;
  while (translator_.under_way() > 0) translator_.Advance(&finished);
  EXPECT_FALSE(translator_.Advance(&finished));
  EXPECT_TRUE(translator_.TranslateIds(source).ok());
}

TEST_P(LanesDemoTest, ASentenceWhoseAttentionIsKeptIsAlone) {
  if (kProfile.attention == 0) GTEST_SKIP() << "this profile keeps none";
  const Ids source = DemoSources()[0];
  TranslateOptions options;
  options.attention = AttentionKind::kCross;
  ASSERT_TRUE(translator_.BeginIds(source, {}, 0).ok());
  EXPECT_EQ(translator_.BeginIds(source, options, 1).code(),
            StatusCode::kFailedPrecondition);
  FinishedTranslation finished;
  while (!translator_.Advance(&finished)) {
  }
  ASSERT_TRUE(translator_.BeginIds(source, options, 2).ok());
  EXPECT_FALSE(translator_.CanBegin());
  while (!translator_.Advance(&finished)) {
  }
  EXPECT_EQ(finished.translation.attention.rows,
            finished.translation.tokens.size());
  EXPECT_TRUE(translator_.CanBegin());
}

// Beside sentences that keep none.
TEST_P(LanesDemoTest, ScoresAreThoseOfASentenceAlone) {
  if (!kProfile.scores) GTEST_SKIP() << "this profile keeps no scores";
  std::vector<Ids> sources = DemoSources();
  sources.resize(std::min(sources.size(), FewerIfSlow(size_t{16}, size_t{6})));
  for (const uint32_t beams : {1u, 3u}) {
    if (beams > kProfile.beams || beams > kProfile.lanes) continue;
    TranslateOptions plain;
    plain.beams = beams;
    TranslateOptions scored = plain;
    scored.scores = true;
    std::vector<std::vector<TokenScore>> alone;
    for (const Ids& source : sources) {
      const auto result = translator_.TranslateIds(source, scored);
      ASSERT_TRUE(result.ok()) << result.status().message();
      ASSERT_EQ(result->scores.size(), result->tokens.size());
      alone.emplace_back(result->scores.begin(), result->scores.end());
    }
    size_t begun = 0, finished = 0;
    while (finished < sources.size()) {
      while (begun < sources.size() && translator_.CanBegin()) {
        const bool keeps = begun % 4 != 3;
        ASSERT_TRUE(
            translator_.BeginIds(sources[begun], keeps ? scored : plain, begun)
                .ok());
        ++begun;
      }
      FinishedTranslation out;
      if (!translator_.Advance(&out)) continue;
      ++finished;
      ASSERT_TRUE(out.status.ok()) << out.status.message();
      const std::span<const TokenScore> scores = out.translation.scores;
      if (out.ticket % 4 == 3) {
        EXPECT_TRUE(scores.empty());
        continue;
      }
      ASSERT_EQ(scores.size(), alone[out.ticket].size());
      for (size_t i = 0; i < scores.size(); ++i) {
        EXPECT_EQ(scores[i].log_probability,
                  alone[out.ticket][i].log_probability);
        EXPECT_EQ(scores[i].margin, alone[out.ticket][i].margin);
      }
    }
  }
}

std::vector<fs::path> TinyModels() {
  const fs::path data = fs::path(LATIMER_SOURCE_DIR) / "tests" / "data";
  std::vector<fs::path> folders;
  for (const char* area :
       {"tiny_marian", "tiny_families", "tiny_native", "t5"}) {
    for (const auto& entry : fs::directory_iterator(data / area)) {
      if (entry.is_directory()) folders.push_back(entry.path());
    }
  }
  std::ranges::sort(folders);
  return folders;
}

TEST(LanesTest, EveryTinyModelGivesTheSame) {
  const std::vector<fs::path> folders = TinyModels();
  ASSERT_GT(folders.size(), 20u);
  for (size_t i = 0; i < folders.size(); i += FewerIfSlow(1, 4)) {
    for (const WeightType weights : {WeightType::kInt8, WeightType::kF32}) {
      SCOPED_TRACE(folders[i].string());
      ExpectTheSame(ConvertModel(folders[i], weights));
    }
  }
}

TEST(LanesTest, EveryModelOfGrusGivesTheSame) {
  for (const std::string& name : RecurrentNames()) {
    for (const WeightType weights : {WeightType::kInt8, WeightType::kF32}) {
      SCOPED_TRACE(name);
      ExpectTheSame(ConvertRecurrent(name, weights));
    }
  }
}

TEST(LanesTest, AShortlistHoldsForItsOwnSentence) {
  CanonicalModel model =
      OpenModel(SmallDemoDirectory(), /*with_tokenizer=*/false);
  const Architecture& a = model.architecture;
  CanonicalShortlist& list = model.shortlist.emplace();
  list.first = 40;
  for (uint32_t id = 0; id < a.source_vocabulary; ++id) {
    list.offsets.push_back(static_cast<uint32_t>(list.tokens.size()));
    for (uint32_t i = 0; i < 6; ++i) {
      list.tokens.push_back(
          static_cast<uint16_t>((id * 31 + i * 257) % a.target_vocabulary));
    }
  }
  list.offsets.push_back(static_cast<uint32_t>(list.tokens.size()));
  const MatrixTypes none, f16_output = {{"output", WeightType::kF16}};
  for (const MatrixTypes* types : {&none, &f16_output}) {
    const ModelBytes file = WriteModel(
        model, {.tile = UsableTile(), .types = types, .progress = {}});
    ExpectTheSame(file, {.max_target_tokens = 40, .language_code = {}});
  }
}

// More tokens than the caches hold: regions grow, move, and one sentence gives
// way to another.
void ExpectNoChangeInSmallCaches(const std::string& program) {
  const ModelBytes model = ConvertSmallDemo(WeightType::kF32);
  const TempFolder folder;
  const fs::path path = folder.path() / "model.ltm";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(model.bytes().data()),
             static_cast<std::streamsize>(model.bytes().size()));
  std::string input;
  constexpr size_t kSentences = FewerIfSlow(12, 7);
  const std::vector<Ids> sources = DemoSources();
  for (size_t i = 0; i < kSentences; ++i) {
    for (const int32_t id : sources[i % sources.size()]) {
      input += std::to_string(id) + " ";
    }
    input += "\n";
  }
  const std::vector<const char*> lengths =
      kEmulated ? std::vector{"60"} : std::vector{"0", "60", "300"};
  for (const char* tokens : lengths) {
    const Outcome outcome =
        RunProgram("tests/" + program, {path.string(), tokens}, input);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, std::to_string(kSentences) + "\n") << tokens;
  }
}

TEST(LanesTest, CachesThatAreTooSmallChangeNothing) {
  ExpectNoChangeInSmallCaches("lanes_program");
}

TEST(LanesTest, CachesOfF16ThatAreTooSmallChangeNothing) {
  ExpectNoChangeInSmallCaches("lanes_f16_caches_program");
}

}  // namespace latimer::lanes_test
