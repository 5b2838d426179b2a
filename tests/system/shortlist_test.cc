// The lexical shortlist limits the tokens of a translation, and changes nothing
// else.
// Tests runtime/search/shortlist.cc, converter/readers/shortlist.cc,
// runtime/search/choose.cc, runtime/search/choose_beams.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/readers/open_model.h"
#include "internals.h"
#include "request.h"
#include "search/step.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/tiny_model.h"

namespace latimer::shortlist_test {

using ::testing::HasSubstr;

using Ids = std::vector<int32_t>;

constexpr size_t kSentences = FewerIfSlow(20, 5);

// The demo model with lists made by a simple formula.
CanonicalModel DemoWithShortlist(
    uint32_t first, uint32_t of_each,
    const std::filesystem::path& folder = DemoDirectory(),
    bool with_tokenizer = false) {
  CanonicalModel model = OpenModel(folder, with_tokenizer);
  const Architecture& a = model.architecture;
  CanonicalShortlist& list = model.shortlist.emplace();
  list.first = first;
  for (uint32_t id = 0; id < a.source_vocabulary; ++id) {
    list.offsets.push_back(static_cast<uint32_t>(list.tokens.size()));
    for (uint32_t i = 0; i < of_each; ++i) {
      list.tokens.push_back(
          static_cast<uint16_t>((id * 31 + i * 257) % a.target_vocabulary));
    }
  }
  list.offsets.push_back(static_cast<uint32_t>(list.tokens.size()));
  return model;
}

std::vector<Ids> TranslateAll(const ModelBytes& file, uint32_t threads) {
  Translator translator;
  const Status status =
      translator.Load(file.bytes(), &test_workspace, {.threads = threads});
  EXPECT_TRUE(status.ok()) << status.message();
  std::vector<Ids> all;
  for (const FixtureRow& row : ReadDemoFixture()) {
    if (all.size() == kSentences) break;
    const auto result = translator.TranslateIds(row.source);
    EXPECT_TRUE(result.ok());
    all.emplace_back(result->tokens.begin(), result->tokens.end());
  }
  return all;
}

TEST(ShortlistTest, AListOfAllTokensChangesNothing) {
  for (const WeightType weights : {WeightType::kInt8, WeightType::kF32}) {
    CanonicalModel model = DemoWithShortlist(65535, 0);
    const ModelBytes with = WriteForThisCpu(model, weights);
    model.shortlist.reset();
    EXPECT_EQ(TranslateAll(with, 1),
              TranslateAll(WriteForThisCpu(model, weights), 1));
  }
}

TEST(ShortlistTest, ATokenReadsTheRowsOfAUsualSentence) {
  const auto sizes = [](uint32_t first, uint32_t of_each, uint64_t* row_bytes) {
    const ModelBytes file =
        WriteForThisCpu(DemoWithShortlist(first, of_each), WeightType::kInt8);
    Translator translator;
    EXPECT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
    const ModelDescription& info = Internals::Describe(translator);
    *row_bytes = info.shortlist.row_bytes;
    return info.sizes;
  };
  uint64_t row_bytes = 0;
  const ModelSizes some = sizes(40, 6, &row_bytes);
  EXPECT_EQ(some.streamed_per_token,
            some.decoder + (40 + 1 + 20 * 6) * row_bytes);
  const ModelSizes all = sizes(65535, 0, &row_bytes);
  EXPECT_EQ(all.streamed_per_token, all.decoder + all.output);
}

TEST(ShortlistTest, OnlyTokensOfTheListsCome) {
  const CanonicalModel model = DemoWithShortlist(40, 6);
  const CanonicalShortlist& list = *model.shortlist;
  const std::vector<FixtureRow> rows = ReadDemoFixture();
  const std::vector<Ids> all =
      TranslateAll(WriteForThisCpu(model, WeightType::kInt8), 1);
  ASSERT_EQ(all.size(), kSentences);
  for (size_t i = 0; i < all.size(); ++i) {
    for (const int32_t token : all[i]) {
      bool allowed = token < 40 || token == model.generation.eos;
      for (const int32_t id : rows[i].source) {
        const auto begin = list.tokens.begin() + list.offsets[id];
        const auto end = list.tokens.begin() + list.offsets[id + 1];
        allowed = allowed || std::find(begin, end, token) != end;
      }
      EXPECT_TRUE(allowed) << token << " in row " << i;
    }
  }
}

TEST(ShortlistTest, ThreadsGiveTheSameIds) {
  for (const WeightType weights : {WeightType::kInt8, WeightType::kF32}) {
    const ModelBytes file = WriteForThisCpu(DemoWithShortlist(100, 9), weights);
    const std::vector<Ids> expected = TranslateAll(file, 1);
    for (const uint32_t threads : {2u, 3u}) {
      EXPECT_EQ(TranslateAll(file, threads), expected) << threads;
    }
  }
}

// Room in each lane for gathered rows.
enum class Room { kAll, kSome, kNone };

struct Found {
  Ids tokens;
  std::vector<TokenScore> scores;

  bool operator==(const Found& other) const {
    return tokens == other.tokens &&
           std::ranges::equal(scores, other.scores,
                              [](const TokenScore& a, const TokenScore& b) {
                                return a.log_probability == b.log_probability &&
                                       a.margin == b.margin;
                              });
  }
};

// Translates by a runtime's parts, because a translator's profile decides about
// the room.
class PartsOfTranslator {
 public:
  PartsOfTranslator(const ModelBytes& file, const LoadOptions& options,
                    Room room) {
    const Status status = LoadEngine(file.bytes(), options, &engine_);
    EXPECT_TRUE(status.ok()) << status.message();
    Profile sizes = SizesFor(engine_.model.info, options);
    EXPECT_GT(sizes.shortlist_row_bytes, 0u);
    if (room == Room::kNone) sizes.shortlist_row_bytes = 0;
    if (room == Room::kSome) {
      sizes.shortlist_row_bytes = 112 * engine_.model.info.shortlist.row_bytes;
    }
    buffers_ =
        Buffers(sizes, std::as_writable_bytes(std::span(&test_workspace, 1))
                           .first(static_cast<size_t>(BytesFor(sizes))));
    static Scheduler scheduler;
    scheduler_ = &scheduler;
    scheduler_->Reset(MakeCachePools(engine_.architecture(), buffers_),
                      buffers_);
  }

  // With `term`, if it is not empty, in place of the first token of a source.
  std::vector<Found> Translate(const std::vector<Ids>& sources,
                               const TranslateOptions& options,
                               const Ids& term = {}) {
    std::vector<Found> all(sources.size());
    terms_.assign(term.empty() ? 0 : sources.size(), Ids(32));
    size_t begun = 0, done = 0;
    while (done < sources.size()) {
      while (begun < sources.size() && scheduler_->CanBegin()) {
        Begin(sources[begun], options, term, begun);
        ++begun;
      }
      Sentence* sentence = scheduler_->NextFinished();
      if (sentence == nullptr) {
        StepSentences(engine_, *scheduler_, buffers_);
        continue;
      }
      Found& found = all[sentence->ticket];
      found.tokens.assign(sentence->target_ids().begin(),
                          sentence->target_ids().end());
      if (sentence->scores != nullptr) {
        found.scores.assign(sentence->scores,
                            sentence->scores + found.tokens.size());
      }
      gathered_ += sentence->allowed.gathered() ? 1 : 0;
      scheduler_->Release(*sentence);
      ++done;
    }
    return all;
  }

  // How many sentences had gathered rows.
  size_t gathered() const { return gathered_; }

 private:
  void Begin(const Ids& source, const TranslateOptions& options,
             const Ids& term, size_t ticket) {
    Sentence& sentence = *scheduler_->FreeLane();
    PhraseList phrases;
    if (!term.empty()) {
      phrases = PhraseList(terms_[ticket]);
      EXPECT_TRUE(phrases.Add({.source_end = 1, .tokens = term}));
    }
    const Status status = ResolveOptions(
        engine_.model, options, {.source = source, .phrases = phrases},
        {buffers_.most_target_tokens, buffers_.beams,
         scheduler_->cached_tokens()},
        &sentence.options);
    EXPECT_TRUE(status.ok()) << status.message();
    std::ranges::copy(source, sentence.source);
    sentence.source_count = source.size();
    sentence.records_scores = options.scores;
    sentence.ticket = ticket;
    scheduler_->Queue(sentence);
  }

  Engine engine_;
  Buffers buffers_;
  Scheduler* scheduler_ = nullptr;
  std::vector<Ids> terms_;  // The memory of each sentence's.
  size_t gathered_ = 0;
};

// Each way to choose tokens.
std::vector<TranslateOptions> EveryChoice() {
  static const int32_t banned[] = {3, 7, 40, 52, 9};
  static const uint32_t ends[] = {1, 3, 5};
  TranslateOptions options = {.max_target_tokens = 20, .language_code = {}};
  std::vector<TranslateOptions> all = {options};
  const auto add = [&](const auto& change) {
    change(all.emplace_back(options));
  };
  add([](TranslateOptions& o) { o.scores = true; });
  add([](TranslateOptions& o) { o.beams = 3; });
  add([](TranslateOptions& o) { o.alternatives = 3; });
  add([](TranslateOptions& o) { o.no_repeat_ngram = 2; });
  options.banned = {banned, ends};
  options.suppressed = std::span(banned).first(3);
  options.repetition_penalty = 1.3f;
  add([](TranslateOptions&) {});
  add([](TranslateOptions& o) { o.beams = 3, o.scores = true; });
  options.repetition_penalty = {};
  add([](TranslateOptions&) {});
  add([](TranslateOptions& o) { o.beams = 2; });
  add([](TranslateOptions& o) {
    o.sampling = {.enabled = true, .temperature = 1.5f, .top_k = 30};
    o.scores = true;
  });
  return all;
}

std::vector<Ids> Sources() {
  std::vector<Ids> sources;
  for (const FixtureRow& row : ReadDemoFixture()) {
    if (sources.size() == FewerIfSlow(10, 4)) break;
    // The fixture is another model's.
    Ids& source = sources.emplace_back(row.source);
    for (int32_t& id : source) id %= 1000;
  }
  return sources;
}

// That room for gathered rows changes nothing.
void ExpectTheSame(const ModelBytes& file) {
  const std::vector<Ids> sources = Sources();
  for (const uint32_t lanes : {1u, 6u}) {
    SCOPED_TRACE(lanes);
    const LoadOptions load = {.lanes = lanes, .beams = 3};
    std::vector<std::vector<Found>> expected;
    for (const Room room : {Room::kNone, Room::kSome, Room::kAll}) {
      PartsOfTranslator translator(file, load, room);
      std::vector<std::vector<Found>> all;
      for (const TranslateOptions& options : EveryChoice()) {
        all.push_back(translator.Translate(sources, options));
      }
      if (room == Room::kNone) expected = all;
      for (size_t i = 0; i < all.size(); ++i) {
        EXPECT_TRUE(all[i] == expected[i]) << "options " << i;
      }
      const size_t most = all.size() * sources.size();
      EXPECT_EQ(translator.gathered() > 0, room != Room::kNone);
      EXPECT_EQ(translator.gathered() == most, room == Room::kAll);
    }
  }
}

TEST(GatheredRowsTest, EveryTypeOfWeightsChoosesTheSame) {
  const CanonicalModel model = DemoWithShortlist(40, 9, SmallDemoDirectory());
  for (const WeightType weights :
       {WeightType::kInt8, WeightType::kF32, WeightType::kF16}) {
    SCOPED_TRACE(NameOf(weights));
    ExpectTheSame(WriteForThisCpu(model, weights));
  }
  for (const WeightType output : {WeightType::kInt6, WeightType::kF16}) {
    SCOPED_TRACE(NameOf(output));
    const MatrixTypes types = {{"output", output}};
    ExpectTheSame(WriteModel(
        model, {.tile = UsableTile(), .types = &types, .progress = {}}));
  }
}

TEST(GatheredRowsTest, AModelOfSixBitsChoosesTheSame) {
  ExpectTheSame(WriteModel(DemoWithShortlist(40, 9, SmallDemoDirectory()),
                           {.tile = UsableTile(),
                            .other_types = WeightType::kInt6,
                            .progress = {}}));
}

TEST(GatheredRowsTest, ATermThatTheShortlistLacksComesOut) {
  const ModelBytes file = WriteForThisCpu(
      DemoWithShortlist(40, 9, SmallDemoDirectory(), /*with_tokenizer=*/true),
      WeightType::kInt8);
  const std::vector<Ids> sources = Sources();
  const Ids term = {501, 733};
  for (const uint32_t beams : {1u, 3u}) {
    std::vector<Found> expected;
    for (const Room room : {Room::kNone, Room::kSome, Room::kAll}) {
      PartsOfTranslator translator(file, {.lanes = 3, .beams = 3}, room);
      TranslateOptions options = {.language_code = {}};
      options.max_target_tokens = 20;
      options.beams = beams;
      const std::vector<Found> all =
          translator.Translate(sources, options, term);
      if (room == Room::kNone) expected = all;
      EXPECT_TRUE(all == expected);
      for (const Found& found : all) {
        EXPECT_FALSE(std::ranges::search(found.tokens, term).empty());
      }
      EXPECT_EQ(translator.gathered() > 0, room != Room::kNone);
    }
  }
}

TEST(GatheredRowsTest, EveryTileChoosesTheSame) {
  const CanonicalModel model = DemoWithShortlist(40, 9, SmallDemoDirectory());
  for (uint32_t value = 1; value < sizeof(kTiles) / sizeof(kTiles[0]);
       ++value) {
    const auto tile = static_cast<Tile>(value);
    if (WeightTypeOf(tile) != WeightType::kInt8) continue;
    GemmKernels kernels;
    if (tile == UsableTile() ||
        !SelectGemmKernels(DetectCpuFeatures(), WeightType::kInt8, tile,
                           &kernels)
             .ok()) {
      continue;
    }
    SCOPED_TRACE(NameOf(tile));
    ExpectTheSame(WriteForThisCpu(model, WeightType::kInt8, tile));
  }
}

class ShortlistFileTest : public ::testing::Test {
 protected:
  static const ModelBytes& File() {
    static const ModelBytes file =
        ConvertModel(std::filesystem::path(LATIMER_SOURCE_DIR) / "tests" /
                         "data" / "tiny_native" / "student_shortlist",
                     WeightType::kF32);
    return file;
  }

  // The error of Load for the file after `change`.
  static std::string ErrorAfter(
      const std::function<void(schema::Shortlist&)>& change) {
    Image image(File().bytes());
    change(*image.root().mutable_shortlist());
    image.FixChecksum();
    Translator translator;
    const Status status = translator.Load(image.bytes(), &test_workspace);
    EXPECT_EQ(status.code(), StatusCode::kCorrupt);
    return status.message();
  }
};

TEST_F(ShortlistFileTest, RefusesListsOutsideTheVocabulary) {
  constexpr char kMessage[] = "its shortlist does not match its vocabularies";
  EXPECT_THAT(ErrorAfter([](schema::Shortlist& list) {
                list.mutable_tokens()->Mutate(0, 90);
              }),
              HasSubstr(kMessage));
  EXPECT_THAT(ErrorAfter([](schema::Shortlist& list) {
                list.mutable_offsets()->Mutate(1, 0xffffffff);
              }),
              HasSubstr(kMessage));
  EXPECT_THAT(ErrorAfter([](schema::Shortlist& list) {
                auto* offsets = list.mutable_offsets();
                offsets->Mutate(offsets->size() - 1, 0);
              }),
              HasSubstr(kMessage));
}

TEST_F(ShortlistFileTest, TheProfileKeepsRoomForIt) {
  ModelDescription info;
  ASSERT_TRUE(ReadModelInfo(File().bytes(), true, &test_workspace, &info).ok());
  EXPECT_TRUE(info.has_shortlist);
  EXPECT_GT(info.sizes.shortlist, 91 * sizeof(uint32_t));
  const Result<Profile> profile = ExactProfile(info, {}, "student");
  ASSERT_TRUE(profile.ok());
  EXPECT_TRUE(profile->shortlist);
  EXPECT_EQ(BufferBytes(*profile, Buffer::kShortlist), 64u);
  // 90 tokens in blocks, with biases and ids.
  const uint64_t row =
      PackedChannelBytes(WeightType::kF32, UsableTile(WeightType::kF32),
                         info.architecture.d_model) +
      sizeof(float) + sizeof(uint32_t);
  EXPECT_EQ(profile->shortlist_row_bytes, 96 * row);
  EXPECT_EQ(BufferBytes(*profile, Buffer::kShortlistRows), 96 * row);
}

TEST_F(ShortlistFileTest, TheProfileKeepsRoomForTheLongestSource) {
  ModelDescription info;
  ASSERT_TRUE(ReadModelInfo(File().bytes(), true, &test_workspace, &info).ok());
  info.architecture.target_vocabulary = 32000;
  info.shortlist = {.common = 51, .longest = 51, .row_bytes = 276};
  const auto tokens = [&](uint32_t source_tokens) {
    return ExactProfile(info, {.source_tokens = source_tokens}, "student")
               ->shortlist_row_bytes /
           276;
  };
  EXPECT_EQ(tokens(1), 112u);    // 102, in blocks of 16.
  EXPECT_EQ(tokens(20), 1072u);  // 1071.
  info.architecture.source_positions = 1000;
  EXPECT_EQ(tokens(1000), 3072u);
  // More than that of a profile for any model.
  EXPECT_EQ(SizesFor(info, {}).shortlist_row_bytes, 3072u * 276);
}

TEST(ShortlistTest, AModelWithoutOneNeedsNoRoom) {
  const ModelBytes file =
      WriteForThisCpu(OpenModel(SmallDemoDirectory(), /*with_tokenizer=*/false),
                      WeightType::kInt8);
  ModelDescription info;
  ASSERT_TRUE(ReadModelInfo(file.bytes(), true, &test_workspace, &info).ok());
  EXPECT_EQ(ExactProfile(info, {}, "none")->shortlist_row_bytes, 0u);
  EXPECT_EQ(SizesFor(info, {}).shortlist_row_bytes, 0u);
  EXPECT_EQ(BufferBytes(SizesFor(info, {}), Buffer::kShortlistRows), 64u);
}

}  // namespace latimer::shortlist_test
