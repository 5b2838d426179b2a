// Damaged model files of GRUs and LSTMs are refused with a sentence.
// Tests runtime/model/recurrent_file.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "model/model_file.h"
#include "tests/system/damage.h"
#include "tests/system/recurrent_models.h"

namespace latimer::recurrent_file_test {

using ::testing::HasSubstr;

TEST(RecurrentFileTest, NoFlippedBitOfTheStructureCrashesWithoutTheChecksum) {
  FlipBitsOfTheStructure(ConvertRecurrent("bahdanau", WeightType::kInt8));
  FlipBitsOfTheStructure(ConvertRecurrent("lstm_layers", WeightType::kInt8));
}

TEST(RecurrentFileTest, FlippedBitsOfNumbersDoNotCrashWithoutTheChecksum) {
  for (const WeightType weights : {WeightType::kF32, WeightType::kInt8}) {
    FlipBitsOfNumbers(ConvertRecurrent("luong_general", weights));
    FlipBitsOfNumbers(ConvertRecurrent("lstm_top", weights));
  }
}

// A contradiction that the checksum cannot show, since it is computed again.
struct Contradiction {
  const char* name;
  const char* model;
  std::function<bool(schema::Architecture&, schema::Recurrent&)> edit;
  StatusCode code;
  const char* message;
};

constexpr StatusCode kCorrupt = StatusCode::kCorrupt;
constexpr StatusCode kTooLarge = StatusCode::kExceedsProfile;
using A = schema::Architecture;
using R = schema::Recurrent;

const Contradiction kContradictions[] = {
    {"NoEmbeddingWidth", "bahdanau",
     [](A&, R& r) { return r.mutate_source_embedding(0); }, kCorrupt,
     "source embedding width is 0"},
    {"EmbeddingTooWide", "bahdanau",
     [](A&, R& r) { return r.mutate_target_embedding(1537); }, kTooLarge,
     "target embedding width is 1537"},
    {"NoEncoderState", "bahdanau",
     [](A&, R& r) { return r.mutate_encoder_hidden(0); }, kCorrupt,
     "encoder state width is 0"},
    {"EncoderStateTooWide", "bahdanau",
     [](A&, R& r) { return r.mutate_encoder_hidden(0xFFFFFFFF); }, kTooLarge,
     "encoder state width is 4294967295"},
    {"DecoderStateTooWide", "bahdanau",
     [](A&, R& r) { return r.mutate_decoder_hidden(0x80000000); }, kTooLarge,
     "decoder state width is 2147483648"},
    {"KeysTooWide", "bahdanau",
     [](A&, R& r) { return r.mutate_attention_hidden(2049); }, kTooLarge,
     "attention key width is 2049"},
    {"CombinedTooWide", "luong_dot",
     [](A&, R& r) { return r.mutate_combined(1537); }, kTooLarge,
     "combined width is 1537"},
    {"AnotherStateWidth", "bahdanau",
     [](A&, R& r) { return r.mutate_decoder_hidden(17); }, kCorrupt,
     "differs in shape"},
    {"InputLayerTooWide", "extras",
     [](A&, R& r) { return r.mutate_input_layer(1537); }, kTooLarge,
     "input layer width is 1537"},
    {"NoInputLayer", "extras", [](A&, R& r) { return r.mutate_input_layer(0); },
     kCorrupt, "differs in"},
    {"ActivationUnknown", "extras",
     [](A&, R& r) {
       return r.mutate_memory_activation(schema::LayerActivation{4});
     },
     kCorrupt, "has an activation of an unknown kind"},
    {"NoBiasOfTheEnergy", "extras",
     [](A&, R& r) {
       return r.mutate_energy_activation(schema::LayerActivation::None);
     },
     kCorrupt, "attention.energy differs in shape"},
    {"SlopeThatIsNoNumber", "extras",
     [](A&, R& r) { return r.mutate_negative_slope(NAN); }, kCorrupt,
     "has a slope that is no number"},
    {"OneDirectionLess", "bahdanau",
     [](A&, R& r) { return r.mutate_bidirectional(false); }, kCorrupt,
     "encoder.0.gru.input differs in shape"},
    {"DirectionsAddedOfOne", "luong_dot",
     [](A&, R& r) { return r.mutate_bidirectional(false); }, kCorrupt,
     "adds directions but has one"},
    {"ScoreUnknown", "bahdanau",
     [](A&, R& r) {
       return r.mutate_attention_function(schema::AttentionFunction{4});
     },
     kCorrupt, "attention or a first state of an unknown kind"},
    {"AnotherScore", "bahdanau",
     [](A&, R& r) {
       return r.mutate_attention_function(schema::AttentionFunction::General);
     },
     kCorrupt, "decoder.0.gru.input differs in presence"},
    {"DotOfDifferentWidths", "bahdanau",
     [](A&, R& r) {
       return r.mutate_attention_function(schema::AttentionFunction::Dot);
     },
     kCorrupt, "memory and keys that differ in width"},
    {"KeysThatDoNotFitTheState", "luong_general",
     [](A&, R& r) { return r.mutate_attention_hidden(18); }, kCorrupt,
     "keys and states that differ in width"},
    {"ContextBeforeItIsThere", "bahdanau",
     [](A&, R& r) { return r.mutate_query_before(false); }, kCorrupt,
     "reads the context before it is there"},
    {"FirstStateUnknown", "bahdanau",
     [](A&, R& r) { return r.mutate_initial_state(schema::InitialState{5}); },
     kCorrupt, "attention or a first state of an unknown kind"},
    {"ProjectionForTwoLayers", "luong_dot",
     [](A&, R& r) {
       return r.mutate_initial_state(schema::InitialState::Projected);
     },
     kCorrupt, "initial_state differs in presence"},
    {"ProjectionsOfTooManyLayers", "lstm_layers",
     [](A& a, R&) { return a.mutate_encoder_layers(1); }, kCorrupt,
     "starts from layers that the encoder does not have"},
    {"MemoryTooWide", "gru_mean",
     [](A&, R& r) { return r.mutate_projected_memory(2049); }, kTooLarge,
     "memory width is 2049"},
    {"AnotherCell", "lstm_top",
     [](A& a, R&) { return a.mutate_network_kind(schema::NetworkKind::Gru); },
     kCorrupt, "encoder.0.gru.input differs in presence"},
    {"LayersWithoutAttention", "lstm_layers",
     [](A&, R& r) {
       return r.mutate_attention_function(schema::AttentionFunction::None);
     },
     kCorrupt, "has layers of an attention that it lacks"},
    {"StateBehindTheLast", "luong_dot",
     [](A&, R& r) { return r.mutate_first_state(3); }, kCorrupt,
     "starts from states that the encoder does not have"},
    {"StatesFarBehindTheLast", "luong_dot",
     [](A&, R& r) { return r.mutate_state_step(0xFFFFFFFF); }, kCorrupt,
     "starts from states that the encoder does not have"},
    {"StatesOfAnotherWidth", "bahdanau",
     [](A&, R& r) {
       return r.mutate_initial_state(schema::InitialState::EncoderStates);
     },
     kCorrupt, "starts from states that the encoder does not have"},
    {"EmbeddingsSharedButOfOtherVocabularies", "bahdanau",
     [](A& a, R&) { return a.mutate_embeddings_shared(true); }, kCorrupt,
     "architecture contradicts itself"},
    {"EmbeddingsSharedButOfOtherWidths", "luong_dot",
     [](A&, R& r) {
       return r.mutate_target_embedding(r.target_embedding() - 1);
     },
     kCorrupt, "shares embeddings that differ in size"},
    {"TiedToAnOutputOfAnotherWidth", "bahdanau",
     [](A& a, R&) { return a.mutate_target_embedding_tied(true); }, kCorrupt,
     "ties an embedding to an output of another width"},
    {"TooManyLayers", "bahdanau",
     [](A& a, R&) { return a.mutate_encoder_layers(999); }, kTooLarge,
     "encoder layer count is 999"},
    {"OneLayerMore", "luong_dot",
     [](A& a, R&) { return a.mutate_encoder_layers(3); }, kCorrupt,
     "encoder.2.gru.input differs in presence"},
    {"NoLimit", "bahdanau",
     [](A& a, R&) { return a.mutate_source_positions(0); }, kCorrupt,
     "source position count is 0"},
};

class RecurrentFileContradictionTest
    : public ::testing::TestWithParam<Contradiction> {};

INSTANTIATE_TEST_SUITE_P(All, RecurrentFileContradictionTest,
                         ::testing::ValuesIn(kContradictions),
                         [](const auto& contradiction) {
                           return std::string(contradiction.param.name);
                         });

TEST_P(RecurrentFileContradictionTest, IsRefusedWithASentence) {
  Image image(ConvertRecurrent(GetParam().model, WeightType::kInt8).bytes());
  auto* architecture = image.root().mutable_architecture();
  ASSERT_TRUE(
      GetParam().edit(*architecture, *architecture->mutable_recurrent()));
  image.FixChecksum();
  static Model model;
  const Status status = ReadModelFile(image.bytes(), true, &model);
  EXPECT_EQ(status.code(), GetParam().code) << status.message();
  EXPECT_THAT(status.message(), HasSubstr(GetParam().message));
}

TEST(RecurrentFileTest, ATransformerIsNoGru) {
  Image image(ConvertModel(TinyModel("no_scale"), WeightType::kInt8).bytes());
  ASSERT_TRUE(image.root().mutable_architecture()->mutate_network_kind(
      schema::NetworkKind::Gru));
  image.FixChecksum();
  static Model model;
  const Status status = ReadModelFile(image.bytes(), true, &model);
  EXPECT_EQ(status.code(), kCorrupt);
  EXPECT_THAT(status.message(),
              HasSubstr("its recurrent network is not described"));
}

}  // namespace latimer::recurrent_file_test
