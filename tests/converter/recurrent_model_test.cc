// The map of a model of GRUs and a checkpoint must fit each other.
// tests/system/recurrent_test.cc checks the numbers.
// Tests converter/readers/recurrent_model.cc, converter/readers/map_parts.cc.
#include "converter/readers/recurrent_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/system/recurrent_models.h"

namespace latimer::recurrent_model_test {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Error(const std::string& name,
                  const std::vector<std::string>& settings) {
  return ErrorOf([&] { (void)RecurrentModel(name).Read(settings); });
}

Recurrent Read(const std::string& name,
               const std::vector<std::string>& settings = {}) {
  return RecurrentModel(name).Read(settings).architecture.recurrent;
}

using Tensors = std::vector<StoredTensor>;

OwnModelCopy Copy(const std::string& name) {
  return OwnModelCopy(RecurrentFolder(name).string());
}

// ---- What is read ----------------------------------------------------------

TEST(RecurrentModelTest, SizesComeFromTheTensors) {
  const Architecture a = RecurrentModel("bahdanau").Read().architecture;
  EXPECT_EQ(a.network_kind, NetworkKind::kGru);
  EXPECT_EQ(a.source_vocabulary, 37u);
  EXPECT_EQ(a.target_vocabulary, 35u);
  EXPECT_EQ(a.source_positions, 40u);
  EXPECT_EQ(a.target_positions, 32u);
  EXPECT_EQ(a.encoder_layers, 1u);
  EXPECT_EQ(a.decoder_layers, 1u);
  const Recurrent& r = a.recurrent;
  EXPECT_EQ(r.source_embedding, 11u);
  EXPECT_EQ(r.target_embedding, 13u);
  EXPECT_EQ(r.encoder_hidden, 14u);
  EXPECT_EQ(r.decoder_hidden, 18u);
  EXPECT_EQ(r.attention_hidden, 18u);
  EXPECT_EQ(r.combined, 0u);
  EXPECT_TRUE(r.bidirectional);
  EXPECT_FALSE(r.directions_added);
}

TEST(RecurrentModelTest, EqualEmbeddingsAreStoredOnce) {
  const CanonicalModel luong = RecurrentModel("luong_dot").Read();
  EXPECT_TRUE(luong.architecture.embeddings_shared);
  EXPECT_FALSE(luong.linears.contains("target_embedding"));
  const CanonicalModel mixed = RecurrentModel("mixed").Read();
  EXPECT_FALSE(mixed.architecture.embeddings_shared);
  EXPECT_TRUE(mixed.architecture.target_embedding_tied);
  EXPECT_FALSE(mixed.linears.contains("target_embedding"));
}

TEST(RecurrentModelTest, TheInitialStateNamesRowsOfTheEncodersLastStates) {
  const auto states = [](const std::string& where) {
    const Recurrent r = Read("luong_dot", {"initial_state=" + where});
    EXPECT_EQ(r.initial_state, InitialState::kEncoderStates);
    return std::pair(r.first_state, r.state_step);
  };
  // Two layers of two directions; two decoder layers.
  EXPECT_EQ(states("first"), std::pair(0u, 1u));
  EXPECT_EQ(states("last"), std::pair(2u, 1u));
  EXPECT_EQ(states("forward"), std::pair(0u, 2u));
  EXPECT_EQ(states("backward"), std::pair(1u, 2u));
  EXPECT_EQ(Read("luong_dot", {"initial_state=zeros"}).initial_state,
            InitialState::kZero);
}

// ---- What is refused -------------------------------------------------------

TEST(RecurrentModelTest, AnotherArchitectureIsRefusedByName) {
  EXPECT_THAT(Error("bahdanau", {"architecture=lstm"}),
              HasSubstr("architecture is \"lstm\"; it must be one of "
                        "transformer, gru"));
}

TEST(RecurrentModelTest, AnLstmIsKnownByItsFourGates) {
  OwnModelCopy model = Copy("bahdanau");
  model.Edit([](Tensors& tensors) {
    for (StoredTensor& tensor : tensors) {
      if (tensor.name == "decoder.rnn.weight_hh_l0") {
        tensor = F32Tensor(tensor.name, {72, 18},
                           std::vector<float>(size_t{72} * 18));
      }
    }
  });
  EXPECT_THAT(model.Error(),
              EndsWith("model.safetensors: is an LSTM: "
                       "decoder.rnn.weight_hh_l0 [72, 18] has four gates; "
                       "Latimer has Transformers and GRUs, whose gates are "
                       "three."));
}

TEST(RecurrentModelTest, MissingAndLeftOverTensorsAreListed) {
  OwnModelCopy model = Copy("bahdanau");
  model.Edit([](Tensors& tensors) {
    Remove(tensors, "encoder.rnn.weight_hh_l0_reverse");
    Remove(tensors, "encoder.fc.weight");
    tensors.push_back(F32Tensor("decoder.gate.weight", {1}, {1}));
  });
  EXPECT_THAT(
      model.Error(),
      AllOf(HasSubstr("missing tensors: encoder.rnn.weight_hh_l0_reverse or "
                      "encoder.gru.weight_hh_l0_reverse "
                      "(\"encoder.gru.backward_hidden\")"),
            HasSubstr("encoder.fc.weight (\"initial_state\")"),
            HasSubstr("unexpected tensors: decoder.gate.weight")));
}

TEST(RecurrentModelTest, AnAttentionThatIsNotReadIsLeftOver) {
  EXPECT_THAT(Error("luong_general", {"attention_function=dot"}),
              HasSubstr("unexpected tensors: de.attn.attn.bias, "
                        "de.attn.attn.weight"));
}

TEST(RecurrentModelTest, OtherColumnsThanTheMapSaysAreMisshapen) {
  EXPECT_THAT(
      Error("bahdanau", {R"(decoder_reads=["embedding"])"}),
      EndsWith("decoder.rnn.weight_ih_l0 [54, 41] should be [54, 13]."));
  EXPECT_THAT(Error("bahdanau", {R"(output_reads=["hidden","context"])"}),
              EndsWith("decoder.fc_out.weight [35, 59] should be [35, 46]."));
}

struct Refusal {
  const char* name;
  const char* model;
  const char* setting;
  const char* message;
};

const Refusal kRefusals[] = {
    {"HeadsOfATransformer", "bahdanau", "heads=8", "heads is unknown"},
    {"AttentionFunctionUnknown", "bahdanau", "attention_function=cosine",
     "attention_function is \"cosine\"; it must be one of additive, dot, "
     "general"},
    {"AttentionFunctionMissing", "bahdanau", "attention_function=null",
     "attention_function is missing; it must be one of additive, dot, general"},
    {"DirectionsAveraged", "luong_dot", "directions=mean",
     "it must be one of concatenate, add"},
    {"InputFeeding", "luong_dot", R"(decoder_reads=["embedding","context"])",
     "Latimer does not feed the last one's"},
    {"OutputWithoutTheState", "bahdanau", R"(output_reads=["context"])",
     "and have \"hidden\""},
    {"ReadTwice", "bahdanau", R"(output_reads=["hidden","hidden"])",
     "it must be a list"},
    {"AttentionReadsOne", "bahdanau", R"(attention_reads=["hidden"])",
     "it must have both"},
    {"AttentionReadsUnsaid", "bahdanau", "attention_reads=null",
     "attention_reads is missing"},
    {"ProjectionOfTwoLayers", "luong_dot", "initial_state=projected",
     "initial_state"},
    {"StatesOfAnotherWidth", "bahdanau", "initial_state=last",
     "unexpected tensors: encoder.fc.bias, encoder.fc.weight"},
    {"DotOfAnotherWidth", "luong_dot", "directions=concatenate",
     "\"dot\" needs encoder outputs, which are 40 wide, as wide as the "
     "decoder's state, 20"},
    {"GruThatIsNoName", "bahdanau", R"(tensors.encoder.gru={"weight":"x"})",
     "it must be the name of an nn.GRU"},
    {"IdBehindTheVocabulary", "bahdanau", "decoder_start=35",
     "decoder_start has the id 35, but the target embedding has only 35 rows"},
};

class RecurrentRefusalTest : public ::testing::TestWithParam<Refusal> {};

INSTANTIATE_TEST_SUITE_P(All, RecurrentRefusalTest,
                         ::testing::ValuesIn(kRefusals),
                         [](const auto& refusal) {
                           return std::string(refusal.param.name);
                         });

TEST_P(RecurrentRefusalTest, NamesTheFlag) {
  EXPECT_THAT(Error(GetParam().model, {GetParam().setting}),
              HasSubstr(GetParam().message));
}

TEST(RecurrentModelTest, TooFewEncoderStatesAreCounted) {
  EXPECT_THAT(Error("luong_general", {"initial_state=forward"}),
              HasSubstr("the encoder has 2 states, too few for 2 decoder "
                        "layers"));
}

TEST(RecurrentModelTest, AMapThatFitsNothingNamesThePresetThatDoes) {
  for (const auto& [name, preset] : {std::pair("luong_dot", "gru_luong"),
                                     std::pair("seq2seq", "gru_seq2seq"),
                                     std::pair("bahdanau", "gru_bahdanau")}) {
    const OwnModel model = RecurrentModel(name);
    EXPECT_THAT(ErrorOf([&] {
                  (void)ReadMappedModel(
                      model.weights,
                      ReadModelMap("preset:encoder_layers",
                                   std::vector<std::string>{"heads=4"}),
                      false);
                }),
                HasSubstr(std::string("which look like preset:") + preset));
  }
}

}  // namespace latimer::recurrent_model_test
