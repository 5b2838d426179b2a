// The answer in the model file is the model's, and the loader checks that it is
// possible.
// Tests converter/known_answer.cc, runtime/model/model_file.cc.
#include "converter/known_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/readers/open_model.h"
#include "internals.h"
#include "tests/system/tiny_model.h"

namespace latimer::known_answer_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

CanonicalModel Read(const std::string& name) {
  return ReadHuggingFaceBart(TinyModel(name), /*with_tokenizer=*/false);
}

ModelBytes Write(const CanonicalModel& model, Tile tile,
                 WeightType weights = WeightType::kInt8) {
  std::vector<std::string> warnings;
  ModelBytes file = WriteModelWithKnownAnswer(
      model, OptionsForThisCpu(weights, tile), &warnings);
  EXPECT_THAT(warnings, IsEmpty());
  return file;
}

std::vector<int32_t> Copy(std::span<const int32_t> ids) {
  return {ids.begin(), ids.end()};
}

const schema::KnownAnswer& AnswerIn(const ModelBytes& file) {
  return *schema::GetModel(file.bytes().data())->known_answer();
}

class KnownAnswerTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(TinyModels, KnownAnswerTest,
                         ::testing::ValuesIn(TinyModelNames()),
                         [](const auto& name) { return name.param; });

TEST_P(KnownAnswerTest, IsWhatTheModelGives) {
  const CanonicalModel model = Read(GetParam());
  const ModelBytes file = Write(model, UsableTile());
  Translator translator;
  const Status status = translator.Load(file.bytes(), &test_workspace);
  ASSERT_TRUE(status.ok()) << status.message();
  const ModelDescription& info = Internals::Describe(translator);
  const KnownAnswer& answer = info.known_answer;
  const auto count = static_cast<uint32_t>(answer.target.size());
  EXPECT_EQ(count, std::min({24u, info.generation.max_target_tokens,
                             info.architecture.target_positions}));
  EXPECT_EQ(answer.source.size(),
            std::min(12u, info.architecture.source_positions));
  EXPECT_EQ(answer.source.back(), info.generation.eos);
  EXPECT_THAT(answer.source.first(answer.source.size() - 1),
              Not(Contains(info.generation.eos)));
  const Result<Translation> translation =
      translator.TranslateIds(answer.source, {.max_target_tokens = count,
                                              .min_target_tokens = count,
                                              .language_code = {},
                                              .beams = 1});
  ASSERT_TRUE(translation.ok()) << translation.status().message();
  EXPECT_THAT(Copy(translation->tokens), ElementsAreArray(answer.target));
}

TEST_P(KnownAnswerTest, DoesNotDependOnTheTile) {
  const CanonicalModel model = Read(GetParam());
  const ModelBytes here = Write(model, UsableTile());
  for (const Tile tile : {Tile::k8x8, Tile::k4x8, Tile::k8x2s4, Tile::k16x8}) {
    const ModelBytes file = Write(model, tile);
    EXPECT_THAT(AnswerIn(file).source()[0],
                ElementsAreArray(AnswerIn(here).source()[0]));
    EXPECT_THAT(AnswerIn(file).target()[0],
                ElementsAreArray(AnswerIn(here).target()[0]))
        << NameOf(tile);
  }
}

// Whatever a model's files say, it can be converted.
TEST(KnownAnswer, EndsWhereTheModelMustEnd) {
  CanonicalModel forced = Read("no_scale");
  forced.generation.forced_first = forced.generation.eos;
  EXPECT_THAT(AnswerIn(Write(forced, UsableTile())).target()[0],
              ElementsAre(forced.generation.eos));

  CanonicalModel banned = Read("no_scale");
  for (uint32_t id = 0; id < banned.architecture.target_vocabulary; ++id) {
    banned.generation.banned_sequences.push_back({static_cast<int32_t>(id)});
  }
  const ModelBytes file = Write(banned, UsableTile());
  Translator translator;
  const Status status = translator.Load(file.bytes(), &test_workspace);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_FALSE(Internals::Describe(translator).known_answer.target.empty());
}

TEST(KnownAnswer, IsOnlyInInt8Files) {
  const ModelBytes file =
      Write(Read("no_scale"), UsableTile(), WeightType::kF32);
  EXPECT_EQ(schema::GetModel(file.bytes().data())->known_answer(), nullptr);
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  EXPECT_TRUE(Internals::Describe(translator).known_answer.source.empty());
  EXPECT_TRUE(Internals::Describe(translator).known_answer.target.empty());
}

TEST(KnownAnswer, WithIdsOutsideTheVocabulariesIsRefused) {
  const ModelBytes file = Write(Read("separate_vocabs"), UsableTile());
  const auto* a = schema::GetModel(file.bytes().data())->architecture();
  const auto load = [&](bool source, int64_t id) {
    Image image(file.bytes());
    auto* answer = image.root().mutable_known_answer();
    (source ? answer->mutable_source() : answer->mutable_target())
        ->Mutate(1, static_cast<int32_t>(id));
    image.FixChecksum();
    Translator translator;
    return translator.Load(image.bytes(), &test_workspace);
  };
  for (const bool source : {true, false}) {
    const int64_t vocabulary =
        source ? a->source_vocabulary() : a->target_vocabulary();
    EXPECT_TRUE(load(source, vocabulary - 1).ok());
    for (const int64_t id : {vocabulary, int64_t{-1}}) {
      const Status status = load(source, id);
      EXPECT_EQ(status.code(), StatusCode::kCorrupt) << source << " " << id;
      EXPECT_THAT(status.message(), HasSubstr("known answer"));
    }
  }
}

// Finite weights, as a training that diverges leaves them.
TEST(DivergedModelTest, IsRefusedInASentence) {
  TinyModelCopy diverged("heads_1_relu");
  size_t edited = 0;
  diverged.EditTensors([&](std::vector<StoredTensor>& tensors) {
    constexpr float kHuge = 3e38f;
    for (StoredTensor& tensor : tensors) {
      if (!tensor.name.starts_with("model.decoder.") ||
          !tensor.name.ends_with("norm.weight")) {
        continue;
      }
      ++edited;
      for (size_t i = 0; i < tensor.data.size(); i += sizeof(kHuge)) {
        std::memcpy(tensor.data.data() + i, &kHuge, sizeof(kHuge));
      }
    }
  });
  ASSERT_GT(edited, 0u);
  const CanonicalModel model =
      ReadHuggingFaceBart(diverged.path(), /*with_tokenizer=*/false);
  for (const WeightType weights : {WeightType::kInt8, WeightType::kF32}) {
    const std::string error = ErrorOf([&] {
      std::vector<std::string> warnings;
      (void)WriteModelWithKnownAnswer(
          model, OptionsForThisCpu(weights, UsableTile(weights)), &warnings);
    });
    EXPECT_THAT(error, HasSubstr("logits for a test sentence are not finite"));
  }
}

}  // namespace latimer::known_answer_test
