// The demo model with a pruned argmax and without: the same translations.
// Tests runtime/search/pruned_argmax.cc, runtime/search/choose.cc,
// runtime/search/choose_bounds.cc, runtime/model/bind_tensors.cc.
#include "search/pruned_argmax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "model/model_file.h"
#include "ops/nibble/planes.h"
#include "search/choose.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/tiny_model.h"
#include "transformer/network.h"

namespace latimer::pruned_argmax_test {

using ::testing::HasSubstr;
using Ids = std::vector<int32_t>;

ModelBytes Convert(bool pruned) {
  return WriteModel(
      OpenModel(DemoDirectory(), false),
      {.tile = UsableTile(), .pruned_argmax = pruned, .progress = {}});
}

const ModelBytes& Demo(bool pruned) {
  static const ModelBytes with = Convert(true);
  static const ModelBytes without = Convert(false);
  return pruned ? with : without;
}

const std::vector<FixtureRow>& Rows() {
  static const std::vector<FixtureRow> rows = [] {
    std::vector<FixtureRow> all = ReadDemoFixture();
    all.resize(FewerIfSlow(all.size(), size_t{5}));
    return all;
  }();
  return rows;
}

// The model without its translator, for one step at a time.
std::unique_ptr<Engine> EngineOf(const ModelBytes& file) {
  auto engine = std::make_unique<Engine>();
  EXPECT_TRUE(LoadEngine(file.bytes(), {}, engine.get()).ok());
  return engine;
}

// All logits, in the workspace.
void ComputeAll(const Engine& engine, const LinearInput& input) {
  ComputeLogits(engine, input, {}, Buffers(test_workspace).logits);
}

// The best token after each step of the row's own target.
template <typename Best>
std::vector<BestToken> BestOf(const Engine& engine, const FixtureRow& row,
                              const Best& best) {
  std::vector<BestToken> tokens;
  SentenceCaches caches;
  caches.cross_kv = Buffers(test_workspace).cross_kv.data();
  caches.self_kv = Buffers(test_workspace).self_kv.data();
  caches.source_tokens = row.source.size();
  caches.self_rows = kProfile.target_tokens;
  Trace trace;
  const StepContext step = {engine, test_workspace, trace};
  EncodeSource(step, row.source, caches);
  int32_t token = engine.model.info.generation.decoder_start;
  for (size_t i = 0; i < row.target.size(); ++i) {
    const DecoderRow input = {&caches, token, static_cast<uint32_t>(i)};
    const DecoderOutput output = StepDecoder(step, {&input, 1});
    tokens.push_back(best(MakeLinearInput(step, output.x, 1, output.columns)));
    token = row.target[i];
  }
  return tokens;
}

TEST(PrunedArgmaxModelTest, EveryStepHasTheSameTokenAndTheSameBits) {
  const auto pruned = EngineOf(Demo(true));
  const auto full = EngineOf(Demo(false));
  const size_t vocabulary = full->model.info.architecture.target_vocabulary;
  ASSERT_TRUE(pruned->model.info.pruned_argmax);
  ASSERT_FALSE(full->model.info.pruned_argmax);
  std::vector<size_t> computed;
  for (const FixtureRow& row : Rows()) {
    const auto expected = BestOf(*full, row, [&](const LinearInput& input) {
      ComputeAll(*full, input);
      const size_t token =
          full->vector->argmax(vocabulary, Buffers(test_workspace).logits);
      return BestToken{token, Buffers(test_workspace).logits[token],
                       vocabulary};
    });
    const auto found = BestOf(*pruned, row, [&](const LinearInput& input) {
      const uint32_t first = 0;
      SearchOptions options = {};
      options.repetition_penalty = 1.0f;
      float* bounds = Buffers(test_workspace).logits;
      BoundLogits(*pruned, input, {&first, 1}, Bounds::kHighNibbles, bounds);
      return FindBestToken(*pruned, input, options, {0, nullptr, 1}, bounds);
    });
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].token, expected[i].token);
      ASSERT_EQ(std::memcmp(&found[i].logit, &expected[i].logit, sizeof(float)),
                0);
      computed.push_back(found[i].computed);
    }
  }
  std::ranges::sort(computed);
  double sum = 0;
  for (const size_t count : computed) sum += static_cast<double>(count);
  const double steps = static_cast<double>(computed.size());
  std::printf(
      "%zu steps: of %zu logits %.1f were computed on average, "
      "median %zu, 90 %% %zu, 99 %% %zu, at most %zu\n",
      computed.size(), vocabulary, sum / steps, computed[computed.size() / 2],
      computed[computed.size() * 9 / 10], computed[computed.size() * 99 / 100],
      computed.back());
  EXPECT_LT(sum / steps, static_cast<double>(vocabulary) / 50);
}

TEST(PrunedArgmaxModelTest, AllLogitsAreThoseOfThePackedMatrix) {
  const auto pruned = EngineOf(Demo(true));
  const auto full = EngineOf(Demo(false));
  const auto hash = [](const Engine& engine) {
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < 3; ++i) {
      BestOf(engine, Rows()[i], [&](const LinearInput& input) {
        ComputeAll(engine, input);
        for (uint32_t v = 0; v < engine.architecture().target_vocabulary; ++v) {
          uint32_t bits;
          std::memcpy(&bits, &Buffers(test_workspace).logits[v], sizeof(bits));
          h = (h ^ bits) * 1099511628211u;
        }
        return BestToken{};
      });
    }
    return h;
  };
  EXPECT_EQ(hash(*pruned), hash(*full));
}

struct Found {
  Ids tokens;
  std::vector<float> scores;
  bool operator==(const Found&) const = default;
};

std::vector<Found> TranslateAll(bool pruned, const TranslateOptions& options,
                                uint32_t threads = 1) {
  Translator translator;
  EXPECT_TRUE(
      translator
          .Load(Demo(pruned).bytes(), &test_workspace, {.threads = threads})
          .ok());
  std::vector<Found> all;
  for (const FixtureRow& row : Rows()) {
    const Result<Translation> result =
        translator.TranslateIds(row.source, options);
    EXPECT_TRUE(result.ok()) << result.status().message();
    if (!result.ok()) break;
    Found found{{result->tokens.begin(), result->tokens.end()}, {}};
    for (const TokenScore& score : result->scores) {
      found.scores.push_back(score.log_probability);
      found.scores.push_back(score.margin);
    }
    all.push_back(found);
  }
  return all;
}

TEST(PrunedArgmaxModelTest, RulesGiveTheSameTokens) {
  // Bans tokens that come often, so that others come.
  Ids suppressed;
  for (int32_t id = 3; id < 300; ++id) suppressed.push_back(id);
  const TranslateOptions kOptions[] = {
      {},
      {.max_target_tokens = 7},
      {.max_target_tokens = 60, .min_target_tokens = 40},
      {.no_repeat_ngram = 1},
      {.max_target_tokens = 60, .min_target_tokens = 40, .no_repeat_ngram = 2},
      {.repetition_penalty = 1.3f},
      {.suppressed = suppressed},
      {.forced_first_token = 17, .no_repeat_ngram = 3},
      {.scores = kProfile.scores},
  };
  std::vector<std::vector<Found>> before;
  for (const TranslateOptions& options : kOptions) {
    const std::vector<Found> expected = TranslateAll(false, options);
    EXPECT_EQ(TranslateAll(true, options), expected);
    // The processors change something, or they would not be tested.
    if (!options.scores) {
      EXPECT_EQ(std::ranges::count(before, expected), 0);
    }
    before.push_back(expected);
  }
}

// Norms that are too large make bounds that are true but useless: all blocks
// are computed, and then all logits at once.
TEST(PrunedArgmaxModelTest, UselessBoundsGiveTheSameTokens) {
  Image image(Demo(true).bytes());
  auto* tensors = image.root().mutable_tensors();
  schema::Tensor* output = tensors->GetMutableObject(tensors->size() - 1);
  ASSERT_EQ(output->name()->str(), "output");
  const uint32_t n = output->shape()->Get(0), k = output->shape()->Get(1);
  const std::vector<float> norms(kNibbleBlockRows, 1e6f);
  for (uint64_t block = 0; block < NibbleBlocks(n); ++block) {
    const uint64_t end = (block + 1) * NibbleHighBytes(k);
    const uint64_t bytes = norms.size() * sizeof(float);
    std::memcpy(output->mutable_data()->Data() + end - bytes, norms.data(),
                bytes);
  }
  image.FixChecksum();
  const std::vector<Found> expected = TranslateAll(false, {});
  Translator translator;
  ASSERT_TRUE(translator.Load(image.bytes(), &test_workspace).ok());
  for (size_t i = 0; i < Rows().size(); ++i) {
    const Result<Translation> result =
        translator.TranslateIds(Rows()[i].source);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(Ids(result->tokens.begin(), result->tokens.end()),
              expected[i].tokens);
  }
}

TEST(PrunedArgmaxModelTest, ThreadsGiveTheSameTokens) {
  const std::vector<Found> expected = TranslateAll(true, {});
  for (uint32_t threads = 2; threads <= std::min(kProfile.threads, 3u);
       ++threads) {
    EXPECT_EQ(TranslateAll(true, {}, threads), expected) << threads;
  }
}

TEST(PrunedArgmaxModelTest, AreInTheFile) {
  Model pruned, full;
  ASSERT_TRUE(ReadModelFile(Demo(true).bytes(), true, &pruned).ok());
  ASSERT_TRUE(ReadModelFile(Demo(false).bytes(), true, &full).ok());
  const Linear& output = pruned.tensors.output;
  EXPECT_EQ(pruned.info.sizes.output, NibblePlaneBytes(output.n, output.k, 8));
  EXPECT_EQ(
      full.info.sizes.streamed_per_token - pruned.info.sizes.streamed_per_token,
      full.info.sizes.output - NibblePassBytes(output.n, output.k));
}

// ---- Files that are wrong

schema::Tensor& TensorOf(Image& image, const std::string& name) {
  auto* tensors = image.root().mutable_tensors();
  for (uint32_t i = 0; i < tensors->size(); ++i) {
    schema::Tensor* tensor = tensors->GetMutableObject(i);
    if (tensor->name()->str() == name) return *tensor;
  }
  ADD_FAILURE() << "no tensor " << name;
  return *tensors->GetMutableObject(0);
}

Status Read(Image& image) {
  image.FixChecksum();
  Model model;
  return ReadModelFile(image.bytes(), true, &model);
}

TEST(PrunedArgmaxModelTest, LoadRefusesAWrongLayout) {
  const auto expect = [](const Status& status, const char* tensor) {
    EXPECT_EQ(status.code(), StatusCode::kCorrupt);
    EXPECT_THAT(status.message(), HasSubstr(tensor));
  };
  {
    Image image(Demo(true).bytes());
    ASSERT_TRUE(Read(image).ok());
    ASSERT_TRUE(
        TensorOf(image, "output").mutate_layout(schema::Layout::GemmPacked));
    expect(Read(image), "output");
  }
  {
    Image image(Demo(true).bytes());
    ASSERT_TRUE(TensorOf(image, "output").mutate_dtype(schema::DType::Float32));
    expect(Read(image), "output");
  }
  {
    Image image(Demo(true).bytes());
    ASSERT_TRUE(TensorOf(image, "output")
                    .mutate_quantization(schema::Quantization::None));
    expect(Read(image), "output");
  }
  for (const char* name : {"output", "decoder.0.ffn.in"}) {
    Image image(Demo(false).bytes());
    ASSERT_TRUE(
        TensorOf(image, name).mutate_layout(schema::Layout::NibblePlanes));
    expect(Read(image), name);
  }
}

// Writes another length before a tensor's data, which stay where they are.
void SetDataBytes(schema::Tensor& tensor, uint64_t bytes) {
  const auto length = static_cast<uint32_t>(bytes);
  std::memcpy(tensor.mutable_data()->Data() - sizeof(length), &length,
              sizeof(length));
}

TEST(PrunedArgmaxModelTest, LoadRefusesPlanesOfAnotherSize) {
  const uint64_t bytes = [] {
    Image image(Demo(true).bytes());
    return uint64_t{TensorOf(image, "output").data()->size()};
  }();
  for (const uint64_t wrong : {uint64_t{0}, bytes - 64, bytes - 1}) {
    Image image(Demo(true).bytes());
    SetDataBytes(TensorOf(image, "output"), wrong);
    EXPECT_THAT(Read(image).message(), HasSubstr("output differs in data"));
  }
  Image image(Demo(true).bytes());
  ASSERT_TRUE(TensorOf(image, "output").mutable_shape()->size() == 2);
  TensorOf(image, "output").mutable_shape()->Mutate(0, 9711);
  EXPECT_THAT(Read(image).message(), HasSubstr("output differs in shape"));
}

TEST(PrunedArgmaxModelTest, LoadRefusesPlanesBesideAShortlist) {
  CanonicalModel model = OpenModel(DemoDirectory(), false);
  const Architecture& a = model.architecture;
  model.shortlist.emplace().first = 40;
  model.shortlist->offsets.assign(a.source_vocabulary + 1, 0);
  const ModelBytes file =
      WriteModel(model, {.tile = UsableTile(), .progress = {}});
  Image image(file.bytes());
  ASSERT_TRUE(Read(image).ok());
  schema::Tensor& output = TensorOf(image, "output");
  ASSERT_EQ(output.layout(), schema::Layout::GemmPacked);
  ASSERT_TRUE(output.mutate_layout(schema::Layout::NibblePlanes));
  ASSERT_TRUE(output.mutate_tile(schema::Tile::None));
  const Status status = Read(image);
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr("output differs in type or layout"));
}

TEST(PrunedArgmaxModelTest, TheChecksumShowsDamageOfEachKind) {
  Image whole(Demo(true).bytes());
  const schema::Tensor& output = TensorOf(whole, "output");
  const uint32_t n = output.shape()->Get(0), k = output.shape()->Get(1);
  const uint64_t nibbles = uint64_t{k} / 2 * kNibbleBlockRows;
  const uint64_t low = NibblePassBytes(n, k);
  // A nibble, a sum, a scale, a norm; a low nibble, a sum.
  for (const uint64_t byte : {uint64_t{5}, nibbles, nibbles + 65, nibbles + 130,
                              low + 5, low + nibbles + 2}) {
    Image image(Demo(true).bytes());
    *(TensorOf(image, "output").mutable_data()->Data() + byte) ^= 1;
    Translator translator;
    EXPECT_EQ(translator.Load(image.bytes(), &test_workspace).code(),
              StatusCode::kCorrupt)
        << byte;
  }
}

// Only the checksum can tell wrong numbers from right ones. Wrong ones produce
// wrong tokens and do no other harm.
TEST(PrunedArgmaxModelTest, LoadRefusesWrongNumbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float wrong : {-1e30f, 1e30f, 0.0f, kInfinity, -kInfinity,
                            std::numeric_limits<float>::quiet_NaN()}) {
    Image image(Demo(true).bytes());
    auto* data = TensorOf(image, "output").mutable_data();
    const auto count = static_cast<uint32_t>(data->size() / 4);
    // All of it in turn: nibbles, scales, norms and sums.
    for (uint32_t i = 0; i < count; i += 7) {
      std::memcpy(data->Data() + 4 * i, &wrong, 4);
    }
    image.FixChecksum();
    Translator translator;
    EXPECT_THAT(translator.Load(image.bytes(), &test_workspace).message(),
                HasSubstr("output has a number"))
        << wrong;
  }
}

}  // namespace latimer::pruned_argmax_test
