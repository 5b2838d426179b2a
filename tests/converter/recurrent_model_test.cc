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

TEST(RecurrentModelTest, WhatNoTutorialHasComesFromTheMap) {
  const CanonicalModel model = RecurrentModel("extras").Read();
  const Recurrent& r = model.architecture.recurrent;
  EXPECT_EQ(r.source_embedding, 33u);  // One-hot.
  EXPECT_EQ(model.architecture.source_vocabulary, 33u);
  EXPECT_EQ(r.input_layer, 21u);
  EXPECT_EQ(r.input_activation, LayerActivation::kRelu);
  EXPECT_EQ(r.memory_activation, LayerActivation::kTanh);
  EXPECT_EQ(r.energy_activation, LayerActivation::kRelu);
  EXPECT_EQ(r.combine_activation, LayerActivation::kLeakyRelu);
  EXPECT_FLOAT_EQ(r.negative_slope, 0.2f);
  EXPECT_TRUE(r.query_sum && r.has_extras());
  EXPECT_EQ(model.tables.at("attention.energy").size(), 10u);  // And a bias.
  EXPECT_FALSE(Read("gru_mean").has_extras());
  EXPECT_FLOAT_EQ(Read("extras", {"leaky_relu_slope=null"}).negative_slope,
                  0.01f);
}

void RenameTensors(OwnModelCopy& model, const std::string& from,
                   const std::string& to) {
  model.Edit([&](Tensors& tensors) {
    for (StoredTensor& tensor : tensors) {
      const size_t at = tensor.name.find(from);
      if (at != tensor.name.npos) tensor.name.replace(at, from.size(), to);
    }
  });
}

// The bytes of all matrices, in the order of their canonical names.
std::vector<float> AllWeights(const CanonicalModel& model) {
  std::vector<float> all;
  for (const auto& [name, linear] : model.linears) {
    for (const auto& parts : {linear.weights, linear.biases}) {
      for (const SourceTensor* part : parts) {
        if (part == nullptr) continue;
        const std::vector<float> values = part->Values();
        all.insert(all.end(), values.begin(), values.end());
      }
    }
  }
  return all;
}

TEST(RecurrentModelTest, AGruMayBeACellOrNameItsParameters) {
  const CanonicalModel expected = RecurrentModel("bahdanau").Read();
  OwnModelCopy cell = Copy("bahdanau");
  // As nn.GRUCell calls them.
  for (const char* name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}) {
    RenameTensors(cell, std::string("decoder.rnn.") + name + "_l0",
                  std::string("decoder.rnn.") + name);
  }
  EXPECT_EQ(AllWeights(cell.Read()), AllWeights(expected));
  // In a list of modules.
  RenameTensors(cell, "decoder.rnn.", "decoder.rnn.0.");
  EXPECT_EQ(AllWeights(cell.Read({"tensors.decoder.gru=decoder.rnn.{layer}"})),
            AllWeights(expected));
  // Under names of one's own.
  RenameTensors(cell, "decoder.rnn.0.weight_ih", "Wx");
  RenameTensors(cell, "decoder.rnn.0.weight_hh", "Wh");
  RenameTensors(cell, "decoder.rnn.0.bias_ih", "bx");
  RenameTensors(cell, "decoder.rnn.0.bias_hh", "bh");
  const std::string named =
      R"(tensors.decoder.gru={"weight_ih": "Wx", "weight_hh": "Wh",)"
      R"( "bias_ih": "bx", "bias_hh": "bh"})";
  EXPECT_EQ(AllWeights(cell.Read({named})), AllWeights(expected));
  EXPECT_THAT(cell.Error({R"(tensors.decoder.gru={"weight_ih": "Wx"})"}),
              HasSubstr("weight_hh is missing; it must be the name of this "
                        "matrix"));
  EXPECT_THAT(cell.Error({R"(tensors.decoder.gru={"weights": "Wx"})"}),
              HasSubstr("weights is unknown"));
  // Of two directions, one under other names.
  OwnModelCopy both = Copy("bahdanau");
  RenameTensors(both, "encoder.rnn.weight_ih_l0_reverse", "back.Wx");
  const auto of_encoder = [](const std::string& backward) {
    return R"(tensors.encoder.gru={"weight_ih": "encoder.rnn.weight_ih_l0",)"
           R"( "weight_hh": "encoder.rnn.weight_hh_l{layer}",)"
           R"( "bias_ih": "encoder.rnn.bias_ih_l0",)"
           R"( "bias_hh": "encoder.rnn.bias_hh_l0",)"
           R"( "weight_ih_reverse": ")" +
           backward +
           R"(", "weight_hh_reverse": "encoder.rnn.weight_hh_l0_reverse",)"
           R"( "bias_ih_reverse": "encoder.rnn.bias_ih_l0_reverse",)"
           R"( "bias_hh_reverse": "encoder.rnn.bias_hh_l0_reverse"})";
  };
  EXPECT_EQ(AllWeights(both.Read({of_encoder("back.Wx")})),
            AllWeights(expected));
  EXPECT_THAT(both.Error({of_encoder("back.W")}),
              HasSubstr("unexpected tensors: back.Wx"));
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
  EXPECT_THAT(Error("bahdanau", {"architecture=rnn"}),
              HasSubstr("architecture is \"rnn\"; it must be one of "
                        "transformer, gru, lstm"));
}

TEST(RecurrentModelTest, OtherCellsThanTheMapsAreKnownByTheirGates) {
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
              EndsWith("model.safetensors: has LSTMs: "
                       "decoder.rnn.weight_hh_l0 [72, 18] has four gates; the "
                       "architecture of preset:gru_bahdanau is \"gru\"."));
  const OwnModel gru = RecurrentModel("bahdanau");
  EXPECT_THAT(ErrorOf([&] {
                (void)ReadMappedModel(
                    gru.weights, ReadModelMap("preset:lstm_energy", {}), false);
              }),
              EndsWith("model.pt: has GRUs: decoder.rnn.weight_hh_l0 [54, 18] "
                       "has three gates; the architecture of "
                       "preset:lstm_energy is \"lstm\"."));
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
    {"CombineUnsaid", "luong_dot", "combine_activation=null",
     "combine_activation is missing; \"combine\" needs it: none, tanh, relu"},
    {"ActivationOfALayerThatIsNotThere", "bahdanau", "input_activation=relu",
     "input_activation is \"relu\"; tensors names no \"decoder.input\""},
    {"SlopeOfNothing", "luong_dot", "leaky_relu_slope=0.1",
     "no activation is leaky_relu"},
    {"DirectionsUnsaid", "bahdanau", "directions=null",
     "directions is missing; the encoder reads in two directions"},
    {"NoTargetEmbedding", "bahdanau", "tensors.target_embedding=null",
     "unexpected tensors: decoder.embedding.weight"},
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
    {"ContextWithoutAttention", "gru_context", "context=attention",
     "decoder_reads is [\"embedding\",\"context\"]; without attention there is "
     "no context, unless context is \"final_state\""},
    {"FinalStateBesideAttention", "bahdanau", "context=final_state",
     "context is \"final_state\"; final_state takes the place of attention"},
    {"ReversedAndPadded", "lstm_seq2seq", "source_length=20",
     "reverse_source is true; it cannot be used with source_length"},
    {"QueryOfAnotherWidth", "lstm_layers", "directions=add",
     "as wide as the query, 24"},
    {"NoCellProjection", "lstm_energy", "tensors.initial_cell=null",
     "tensors does not name \"initial_cell\""},
    {"StatesOfAnotherWidth", "bahdanau", "initial_state=last",
     "unexpected tensors: encoder.fc.bias, encoder.fc.weight"},
    {"DotOfAnotherWidth", "luong_dot", "directions=concatenate",
     "\"dot\" needs encoder outputs, which are 40 wide, as wide as the "
     "decoder's state, 20"},
    {"GruThatIsNoName", "bahdanau", "tensors.encoder.gru=7",
     "it must be the name of an nn.GRU, nn.LSTM or one of their cells, or {"},
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
                                     std::pair("bahdanau", "gru_bahdanau"),
                                     std::pair("gru_context", "gru_context"),
                                     std::pair("lstm_seq2seq", "lstm_seq2seq"),
                                     std::pair("lstm_energy", "lstm_energy")}) {
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
