// A map and a checkpoint must fit each other. tests/system/own_models_test.cc
// checks the numbers.
// Tests converter/readers/mapped_model.cc,
// converter/readers/mapped_attention.cc, converter/readers/mapped_positions.cc,
// converter/readers/mapped_tensors.cc, converter/readers/map_parts.cc,
// converter/readers/fitting_preset.cc.
#include "converter/readers/mapped_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "converter/readers/mapped_positions.h"
#include "tests/converter/own_model.h"

namespace latimer::mapped_model_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kQuery[] = "encoder_layers.1.attention.W_q.weight";

// ---- Names -----------------------------------------------------------------

TEST(MappedModelTest, ListsEachMissingTensorWithItsPlaceInTheMap) {
  OwnModelCopy model("encoder_layers_words");
  model.Edit([](std::vector<StoredTensor>& tensors) {
    Remove(tensors, kQuery);
    Remove(tensors, "decoder_layers.0.norm3.bias");
    Remove(tensors, "output_layer.bias");
  });
  EXPECT_THAT(
      model.Error(),
      AllOf(HasSubstr("model.safetensors: the tensors do not match "
                      "preset:encoder_layers: missing tensors: "),
            HasSubstr(kQuery + std::string(" or encoder_layers.1.self_attn."
                                           "W_q.weight (\"encoder.self_"
                                           "attention.query\")")),
            HasSubstr("decoder_layers.0.norm3.bias (\"decoder.ffn.norm\")"),
            HasSubstr("output_layer.bias (\"output\")"),
            Not(HasSubstr("unexpected"))));
}

TEST(MappedModelTest, ListsEachTensorThatIsLeftOverUnlessItIsIgnored) {
  OwnModelCopy model("encoder_layers_words");
  model.Edit([](std::vector<StoredTensor>& tensors) {
    tensors.push_back(F32Tensor("adapter.weight", {1}, {1}));
    tensors.push_back({"steps", "I64", {1}, std::string(8, '\0')});
  });
  EXPECT_THAT(
      model.Error(),
      AllOf(HasSubstr("unexpected tensors: adapter.weight"),
            HasSubstr("tensors that cannot be converted: steps (has type I64)"
                      "; add to \"ignore\" what the model does not need."),
            Not(HasSubstr("missing"))));
  (void)model.Read({R"(ignore=["adapter.*","steps"])"});
}

TEST(MappedModelTest, AMapThatFitsNothingNamesThePresetThatDoes) {
  const OwnModel other("nn_transformer");
  EXPECT_THAT(ErrorOf([&] {
                (void)ReadMappedModel(
                    other.weights,
                    ReadModelMap("preset:encoder_layers",
                                 std::vector<std::string>{"heads=4"}),
                    false);
              }),
              AllOf(HasSubstr("no tensor is called as preset:encoder_layers "
                              "calls the encoder's self-attention"),
                    HasSubstr("which look like preset:nn_transformer.")));
}

TEST(MappedModelTest, APartThatTheMapDoesNotNameIsNamed) {
  const OwnModelCopy model("encoder_layers_words");
  EXPECT_THAT(model.Error({"tensors.decoder.ffn.in=null"}),
              HasSubstr("tensors does not name \"decoder.ffn.in\""));
  EXPECT_THAT(
      model.Error({"positions=learned", "tensors.source_positions=null"}),
      HasSubstr("tensors does not name \"source_positions\""));
}

TEST(MappedModelTest, ALayerInBetweenThatLacksIsMissing) {
  OwnModelCopy model("encoder_layers_words");
  model.Edit([](std::vector<StoredTensor>& tensors) {
    for (StoredTensor& tensor : tensors) {
      const std::string from = "encoder_layers.1.";
      if (tensor.name.starts_with(from)) {
        tensor.name.replace(0, from.size(), "encoder_layers.2.");
      }
    }
  });
  EXPECT_THAT(model.Error(),
              HasSubstr("missing tensors: " + std::string(kQuery)));
}

TEST(MappedModelTest, WrappersPrefixesComeOffWhereEveryNameHasThem) {
  OwnModelCopy model("encoder_layers_words");
  const auto prefix = [&](const std::string& text) {
    model.Edit([&](std::vector<StoredTensor>& tensors) {
      for (StoredTensor& tensor : tensors) tensor.name = text + tensor.name;
    });
  };
  prefix("module.");
  prefix("_orig_mod.");
  EXPECT_THAT(model.Read().warnings,
              ElementsAre(HasSubstr("_orig_mod., which torch.compile adds"),
                          HasSubstr("module., which torch.nn.DataParallel")));
  prefix("net.");
  EXPECT_THAT(model.Read({"prefix=net._orig_mod.module."}).warnings,
              testing::IsEmpty());
  // Behind the user's own they come off, too.
  EXPECT_THAT(model.Read({"prefix=net."}).warnings,
              ElementsAre(HasSubstr("began with net._orig_mod.module.,")));
  prefix("module.");
  EXPECT_THAT(model.Read({"prefix=net"}).warnings,
              ElementsAre(HasSubstr("module., which torch.nn.DataParallel"),
                          HasSubstr("began with net._orig_mod.module.,")));
}

TEST(MappedModelTest, APrefixThatTheMapDoesNotNameComesOff) {
  OwnModelCopy model("encoder_layers_words");
  model.Edit([](std::vector<StoredTensor>& tensors) {
    for (StoredTensor& tensor : tensors) {
      tensor.name = "model._orig_mod." + tensor.name;
    }
    tensors.push_back(F32Tensor("loss.weight", {1}, {1}));
  });
  EXPECT_THAT(model.Error(), HasSubstr("unexpected tensors: loss.weight."));
  EXPECT_THAT(model.Read({R"(ignore=["loss.*"])"}).warnings,
              ElementsAre("The tensors' names began with model._orig_mod., "
                          "which preset:encoder_layers does not have; it was "
                          "removed."));
  const std::string other = R"(ignore=["loss.*","ema.*"])";
  model.Edit([](std::vector<StoredTensor>& tensors) {
    const std::vector<StoredTensor> whole = tensors;
    for (StoredTensor tensor : whole) {
      if (tensor.name == "loss.weight") continue;
      tensor.name.replace(0, std::string("model").size(), "ema");
      tensors.push_back(tensor);
    }
  });
  EXPECT_THAT(
      model.Error({other}),
      HasSubstr("holds several models, whose names begin with "
                "ema._orig_mod. and model._orig_mod.; choose one, as "
                "with --set prefix=ema._orig_mod., and ignore the others."));
  for (const char* prefix : {"model", "model.", "model._orig_mod"}) {
    (void)model.Read({other, "prefix=" + std::string(prefix)});
  }
  EXPECT_THAT(model.Error({other, "prefix=net"}),
              HasSubstr("prefix is net, but no tensor of"));
  model.Edit([](std::vector<StoredTensor>& tensors) {
    tensors.push_back(F32Tensor("weight", {1}, {1}));
  });
  EXPECT_THAT(model.Error({"prefix=loss"}),
              HasSubstr("has both loss.weight and weight"));
}

TEST(MappedModelTest, AMapMayNameThePrefixItself) {
  OwnModelCopy model("nn_transformer");
  EXPECT_THAT(model.Read().warnings, testing::IsEmpty());
  EXPECT_THAT(model.Read({"prefix=transformer"}).warnings, testing::IsEmpty());
}

TEST(MappedModelTest, EachPresetIsFoundByItsNames) {
  for (const std::string& name : OwnModelNames()) {
    const OwnModel model(name);
    EXPECT_THAT(ErrorOf([&] { RefuseWithoutMap(model.weights); }),
                HasSubstr("give --map " + model.map + ","))
        << name;
    const std::string wrong = model.map == "preset:encoder_layers"
                                  ? "preset:fc_q"
                                  : "preset:encoder_layers";
    EXPECT_THAT(ErrorOf([&] {
                  (void)ReadMappedModel(
                      model.weights,
                      ReadModelMap(wrong, std::vector<std::string>{"heads=2"}),
                      false);
                }),
                HasSubstr(" look like " + model.map))
        << name;
  }
}

TEST(MappedModelTest, ABiasMayLackOnlyWhereTheMapSaysSo) {
  OwnModelCopy model("encoder_layers_words");
  model.Edit([](std::vector<StoredTensor>& tensors) {
    Remove(tensors, "output_layer.bias");
  });
  EXPECT_THAT(model.Error(), HasSubstr("output_layer.bias"));
  const CanonicalModel read = model.Read({R"(optional_bias=["out*"])"});
  EXPECT_EQ(read.linears.at("output").biases.at(0), nullptr);
}

TEST(MappedModelTest, OneFinalNormWithoutTheOtherIsRefused) {
  OwnModelCopy model("nn_transformer");
  model.Edit([](std::vector<StoredTensor>& tensors) {
    Remove(tensors, "transformer.encoder.norm.weight");
    Remove(tensors, "transformer.encoder.norm.bias");
  });
  EXPECT_THAT(model.Error(),
              HasSubstr("the decoder has a norm that preset:nn_transformer "
                        "calls \"decoder.norm\", but the encoder has none"));
  EXPECT_THAT(OwnModelCopy("nn_transformer").Error({"final_norm=false"}),
              HasSubstr("unexpected tensors: transformer.decoder.norm.bias"));
}

// ---- Shapes ----------------------------------------------------------------

TEST(MappedModelTest, HeadsMustDivideTheOutputs) {
  const OwnModelCopy model("encoder_layers_words");
  EXPECT_THAT(model.Error({"heads=5"}),
              HasSubstr("preset:encoder_layers: heads is 5, but "
                        "encoder_layers.0.attention.W_q.weight has 32 "
                        "outputs, which cannot be cut"));
}

TEST(MappedModelTest, EachMisshapenTensorIsNamedWithBothShapes) {
  const auto error = [](const std::string& name,
                        const std::vector<uint64_t>& shape) {
    OwnModelCopy model("encoder_layers_words");
    model.Edit([&](std::vector<StoredTensor>& tensors) {
      Named(tensors, name).shape = shape;
    });
    return model.Error();
  };
  EXPECT_THAT(error("encoder_layers.1.attention.W_k.weight", {64, 16}),
              HasSubstr("encoder_layers.1.attention.W_k.weight [64, 16] should "
                        "be [32, 32]."));
  EXPECT_THAT(error("decoder_layers.0.feed_forward.3.weight", {48, 32}),
              HasSubstr("[48, 32] should be [32, 48]."));
  EXPECT_THAT(error("encoder_layers.0.norm1.weight", {1, 32}),
              HasSubstr("[1, 32] should be [32]."));
  EXPECT_THAT(error("pos_encoding.pe", {1, 20, 64}),
              HasSubstr("should be a table of positions [rows, 32]"));
  EXPECT_THAT(error("src_embedding.weight", {71, 8, 4}),
              HasSubstr("src_embedding.weight [71, 8, 4] should be a matrix"));
}

TEST(MappedModelTest, TensorsWithoutDimensionsAreMisshapenToo) {
  for (const char* name :
       {"src_embedding.weight", "tgt_embedding.weight", "pos_encoding.pe",
        "output_layer.bias", "encoder_layers.0.attention.W_q.weight",
        "encoder_layers.0.feed_forward.0.weight",
        "encoder_layers.0.norm1.weight"}) {
    OwnModelCopy model("encoder_layers_words");
    model.Edit([&](std::vector<StoredTensor>& tensors) {
      Named(tensors, name) = F32Tensor(name, {}, {1});
    });
    if (std::string(name).ends_with("norm1.weight")) {
      (void)model.Read();  // One number for all columns.
    } else {
      EXPECT_THAT(model.Error(),
                  AllOf(HasSubstr(name), HasSubstr("[] should")));
    }
  }
}

TEST(MappedModelTest, SeveralFullHeadsNeedAProjectionBehindThem) {
  OwnModelCopy model("per_head_2");
  model.Edit([](std::vector<StoredTensor>& tensors) {
    std::erase_if(tensors, [](const StoredTensor& tensor) {
      return tensor.name.find("linear_out") != std::string::npos;
    });
  });
  EXPECT_THAT(model.Error(),
              AllOf(HasSubstr("the 2 heads of encoder.self_attention are 48 "
                              "wide side by side, but the model is 24 wide"),
                    HasSubstr("\"encoder.self_attention.out\"")));
}

TEST(MappedModelTest, HeadModulesAreCounted) {
  EXPECT_EQ(OwnModel("per_head_2").Read().architecture.encoder_heads, 2u);
  EXPECT_THAT(OwnModelCopy("per_head_2").Error({"heads=3"}),
              HasSubstr("heads is 3, but the encoder has 2 modules of heads"));
}

TEST(MappedModelTest, MatricesThatAreToBeOneMustBeEqual) {
  const OwnModelCopy words("encoder_layers_characters");
  EXPECT_THAT(words.Error({"tied_output=true"}),
              HasSubstr("tied_output is true, but output_layer.weight and "
                        "tgt_embedding.weight of"));
  OwnModelCopy shared("q_proj");
  const CanonicalModel read = shared.Read({R"(ignore=["*mask"])"});
  EXPECT_TRUE(read.architecture.source_embedding_tied);
  EXPECT_TRUE(read.architecture.target_embedding_tied);
  EXPECT_FALSE(read.linears.contains("source_embedding"));
  // Any one of its names is enough.
  for (const char* removed :
       {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight",
        "lm_head.weight"}) {
    OwnModelCopy one("q_proj");
    one.Edit(
        [&](std::vector<StoredTensor>& tensors) { Remove(tensors, removed); });
    EXPECT_TRUE(one.Read().architecture.source_embedding_tied) << removed;
    EXPECT_THAT(one.Error({"tied_output=false", "shared_embeddings=false"}),
                HasSubstr("missing tensors: "))
        << removed;
  }
}

TEST(MappedModelTest, SpecialIdsLieWithinTheEmbeddings) {
  const OwnModelCopy model("q_linear");  // 50 rows each.
  EXPECT_THAT(model.Error({"target_ids.eos=50"}),
              HasSubstr("target_ids has the id 50, but the target embedding "
                        "has only 50 rows"));
  EXPECT_THAT(model.Error({"source_prefix=[77]"}),
              HasSubstr("source_prefix has the id 77, but the source"));
  EXPECT_THAT(model.Error({"decoder_start=90"}), HasSubstr("decoder_start"));
  EXPECT_THAT(model.Error({"source_ids.pad=50", "source_length=9"}),
              HasSubstr("source_ids has the id 50, but the source embedding"));
}

// ---- Positions -------------------------------------------------------------

TEST(MappedModelTest, PositionsMustReachToTheFixedSourceLength) {
  const OwnModelCopy model("encoder_layers_words");  // 40 rows.
  EXPECT_EQ(model.Read({"source_length=40"}).architecture.source_positions,
            40u);
  EXPECT_EQ(model.Read({"source_length=7"}).architecture.source_positions, 7u);
  EXPECT_THAT(model.Error({"source_length=41"}),
              AllOf(HasSubstr("has positions for 40 tokens, fewer than"),
                    HasSubstr(" wants in source_length")));
  EXPECT_THAT(model.Error({"source_length=7", "max_source_tokens=41"}),
              HasSubstr(" wants in max_source_tokens"));
}

TEST(MappedModelTest, ALongTableIsCutWithANoteOrAsAsked) {
  OwnModelCopy model("encoder_layers_words");
  model.Edit([](std::vector<StoredTensor>& tensors) {
    std::vector<float> rows(600 * 32);
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i);
    Named(tensors, "pos_encoding.pe") =
        F32Tensor("pos_encoding.pe", {1, 600, 32}, rows);
  });
  const CanonicalModel cut = model.Read();
  EXPECT_EQ(cut.architecture.source_positions, kUsualPositions);
  EXPECT_THAT(cut.warnings,
              testing::Contains(AllOf(HasSubstr("600 rows"),
                                      HasSubstr("max_target_tokens=N"))));
  const CanonicalModel asked =
      model.Read({"max_source_tokens=600", "max_target_tokens=9"});
  EXPECT_EQ(asked.architecture.source_positions, 600u);
  EXPECT_EQ(asked.architecture.target_positions, 9u);
  EXPECT_EQ(asked.generation.max_target_tokens, 9u);
  EXPECT_TRUE(asked.warnings.empty());
  EXPECT_THAT(model.Error({"max_source_tokens=601"}),
              HasSubstr("has positions for 600 tokens, fewer than"));
  const CanonicalModel offset = model.Read({"position_offset=2"});
  EXPECT_EQ(offset.tables.at("source_positions")[0], 64.0f);
  EXPECT_THAT(model.Error({"position_offset=600"}),
              HasSubstr("has positions for 0 tokens"));
}

TEST(MappedModelTest, PositionsAreComputedWhereTheFileHasNone) {
  const auto table = [](const std::vector<std::string>& settings) {
    return OwnModel("q_linear").Read(settings).tables.at("source_positions");
  };
  const double angle = 3 / std::pow(10000.0, 2.0 / 24);
  const auto sine = static_cast<float>(std::sin(angle));
  const auto cosine = static_cast<float>(std::cos(angle));
  EXPECT_FLOAT_EQ(table({})[3 * 24 + 2], sine);
  EXPECT_FLOAT_EQ(table({})[3 * 24 + 3], cosine);
  EXPECT_FLOAT_EQ(table({"positions=halves"})[3 * 24 + 1], sine);
  EXPECT_FLOAT_EQ(table({"positions=halves"})[3 * 24 + 13], cosine);
  EXPECT_FLOAT_EQ(table({"position_offset=1"})[2 * 24 + 2], sine);
  EXPECT_FLOAT_EQ(
      table({"positions=halves", "position_divisor=d/2-1"})[3 * 24 + 1],
      static_cast<float>(std::sin(3 / std::pow(10000.0, 1.0 / 11))));
  EXPECT_FLOAT_EQ(
      table({"position_offset=3", "positions_axis=batch"})[7 * 24 + 2], sine);
  EXPECT_THAT(OwnModelCopy("q_linear").Error({"positions=learned"}),
              HasSubstr("missing tensors: encoder.embed_positions.weight"));
}

TEST(MappedModelTest, WhatTheTensorsSettleIsNotAssumed) {
  const auto assumes = [](const std::string& model, const std::string& flag,
                          const std::vector<std::string>& settings) {
    for (const std::string& line : OwnModel(model).Read(settings).assumptions) {
      if (line.starts_with(flag + ": ")) return true;
    }
    return false;
  };
  EXPECT_TRUE(assumes("q_linear", "position_divisor", {"positions=halves"}));
  EXPECT_FALSE(
      assumes("enc_dec_attn", "position_divisor", {"positions=halves"}));
  EXPECT_FALSE(assumes("q_linear", "embedding_norm_order", {}));
  EXPECT_TRUE(assumes("fc_q_embedding_norm", "embedding_norm_order",
                      {"embedding_norm_order=null"}));
  EXPECT_THAT(
      OwnModelCopy("q_linear").Error({"embedding_norm_order=before_positions"}),
      HasSubstr("is for models with an embedding norm"));
}

TEST(MappedModelTest, AlongTheBatchAxisEveryTokenHasTheFirstRow) {
  const OwnModel model("enc_dec_attn");
  const std::vector<float> rows = model.Read().tables.at("source_positions");
  const std::vector<float> same =
      model.Read({"positions_axis=batch"}).tables.at("source_positions");
  ASSERT_EQ(same.size(), rows.size());
  for (size_t i = 0; i < same.size(); ++i) EXPECT_EQ(same[i], rows[i % 24]);
}

// ---- What is made of other tensors
// -------------------------------------------

TEST(MappedModelTest, OneNumberOfANormIsWrittenOut) {
  const CanonicalModel read = OwnModel("residual_connections_scalar").Read();
  const CanonicalNorm& norm = read.norms.at("decoder.norm");
  const std::vector<float> gamma = norm.gamma->Values();
  EXPECT_EQ(gamma.size(), 24u);
  EXPECT_EQ(gamma.front(), gamma.back());
  EXPECT_NE(gamma.front(), 1.0f);
}

TEST(MappedModelTest, AttentionIsScaledAsTheMapSays) {
  const OwnModel model("enc_dec_attn");  // D 24, 3 heads.
  const auto scale = [&](const std::string& flag) {
    return model.Read({"attention_scale=" + flag})
        .architecture.decoder_attention_scale;
  };
  EXPECT_FLOAT_EQ(scale("1/sqrt(head_dim)"), 1 / std::sqrt(8.0f));
  EXPECT_FLOAT_EQ(scale("1/sqrt(d_model)"), 1 / std::sqrt(24.0f));
  EXPECT_FLOAT_EQ(scale("0.5"), 0.5f);
  EXPECT_FLOAT_EQ(model.Read({"embedding_scale=sqrt(d_model)"})
                      .architecture.embedding_scale,
                  std::sqrt(24.0f));
}

TEST(MappedModelTest, APackedProjectionIsQueryKeyAndValue) {
  const OwnModel model("nn_transformer");
  const CanonicalModel read = model.Read();
  const CanonicalLinear& query =
      read.linears.at("decoder.1.cross_attention.query");
  const CanonicalLinear& kv = read.linears.at("decoder.1.cross_attention.kv");
  const auto file = OpenTensorFile(model.weights);
  const std::string name = "transformer.decoder.layers.1.multihead_attn.";
  std::vector<float> packed = file.tensors.at(name + "in_proj_weight").Values();
  std::vector<float> parts = query.weights.at(0)->Values();
  for (const SourceTensor* part : kv.weights) {
    const std::vector<float> values = part->Values();
    parts.insert(parts.end(), values.begin(), values.end());
  }
  EXPECT_EQ(parts, packed);
  packed = file.tensors.at(name + "in_proj_bias").Values();
  EXPECT_EQ(kv.biases.at(1)->Values(),
            std::vector<float>(packed.begin() + 48, packed.end()));
}

// As Sockeye stacks those of the cross-attention; and layers with odd numbers.
TEST(MappedModelTest, AStackedKeyAndValueAreTheTwo) {
  const CanonicalModel apart = OwnModel("fc_q").Read();
  OwnModelCopy model("fc_q");
  model.Edit([](std::vector<StoredTensor>& tensors) {
    for (StoredTensor& key : tensors) {
      const size_t at = key.name.find("encoder_attention.fc_k.");
      if (at == std::string::npos) continue;
      std::string name = key.name;
      const auto value = std::ranges::find(
          tensors, name.replace(at + 18, 4, "fc_v"), &StoredTensor::name);
      ASSERT_NE(value, tensors.end());
      key.name.replace(at + 18, 4, "ff_kv");
      key.name.replace(at - 2, 1,
                       std::to_string(2 * (key.name[at - 2] - '0') + 1));
      key.shape[0] *= 2;
      key.data += value->data;
    }
    std::erase_if(tensors, [](const StoredTensor& tensor) {
      return tensor.name.find("encoder_attention.fc_v") != std::string::npos;
    });
  });
  const std::vector<std::string> settings = {
      "tensors.decoder.cross_attention.key=null",
      "tensors.decoder.cross_attention.value=null",
      "tensors.decoder.cross_attention.kv="
      "decoder.layers.{2*layer+1}.encoder_attention.ff_kv"};
  const CanonicalModel read = model.Read(settings);
  for (const char* name :
       {"decoder.0.cross_attention.kv", "decoder.1.cross_attention.kv"}) {
    const CanonicalLinear& kv = read.linears.at(name);
    const CanonicalLinear& wanted = apart.linears.at(name);
    for (const size_t i : {0u, 1u}) {
      EXPECT_EQ(kv.weights.at(i)->Values(), wanted.weights.at(i)->Values());
      EXPECT_EQ(kv.biases.at(i)->Values(), wanted.biases.at(i)->Values());
    }
  }
  model.Edit([](std::vector<StoredTensor>& tensors) {
    const auto kv = std::ranges::find(
        tensors, "decoder.layers.1.encoder_attention.ff_kv.weight",
        &StoredTensor::name);
    kv->shape[0] -= 1;
    kv->data.resize(kv->data.size() - kv->shape[1] * sizeof(float));
  });
  EXPECT_THAT(model.Error(settings),
              HasSubstr("should be key and value, [2A, D]"));
}

}  // namespace latimer::mapped_model_test
