// Tensors that a folder of Hugging Face lacks, has too many of, ties or
// misshapes.
// Tests converter/readers/huggingface_bart.cc,
// converter/readers/huggingface_model.cc,
// converter/readers/known_transformer.cc, converter/readers/license.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "converter/input_file.h"
#include "converter/readers/open_model.h"
#include "tests/converter/model_folder.h"

namespace latimer::huggingface_bart_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

CanonicalModel Read(const TinyModelCopy& model) {
  return ReadHuggingFaceBart(model.path(), /*with_tokenizer=*/false);
}

std::string ReadError(const TinyModelCopy& model) {
  return ErrorOf([&] { (void)Read(model); });
}

constexpr char kQuery[] = "model.encoder.layers.0.self_attn.q_proj.weight";
constexpr char kShared[] = "model.shared.weight";

TEST(HuggingFaceMarianTest, ListsEachMissingTensor) {
  TinyModelCopy model;
  model.EditTensors([](std::vector<StoredTensor>& tensors) {
    Remove(tensors, kQuery);
    Remove(tensors, "model.decoder.layers.1.fc2.bias");
  });
  EXPECT_THAT(
      ReadError(model),
      AllOf(HasSubstr("model.safetensors"), HasSubstr("missing tensors: "),
            HasSubstr(kQuery), HasSubstr("model.decoder.layers.1.fc2.bias"),
            Not(HasSubstr("unexpected"))));
}

TEST(HuggingFaceMarianTest, ListsEachUnexpectedTensor) {
  TinyModelCopy model;
  model.EditTensors([](std::vector<StoredTensor>& tensors) {
    tensors.push_back(F32Tensor("model.adapter.weight", {1}, {1}));
    tensors.push_back(F32Tensor("zeta", {1}, {1}));
  });
  EXPECT_THAT(ReadError(model),
              AllOf(HasSubstr("unexpected tensors: model.adapter.weight, zeta"),
                    Not(HasSubstr("missing"))));
}

TEST(HuggingFaceMarianTest, ABufferThatTransformersDoesNotReadIsNamed) {
  TinyModelCopy model;
  EXPECT_THAT(Read(model).warnings, IsEmpty());
  model.EditTensors([](std::vector<StoredTensor>& tensors) {
    tensors.push_back({"model.decoder.embed_positions.position_ids",
                       "I64",
                       {1},
                       std::string(8, '\0')});
    tensors.push_back(F32Tensor("model.encoder.version", {1}, {1}));
  });
  EXPECT_THAT(Read(model).warnings,
              ElementsAre("model.decoder.embed_positions.position_ids was left "
                          "out; transformers does not read it."));
}

TEST(HuggingFaceMarianTest, ListsEachMisshapenTensorWithBothShapes) {
  TinyModelCopy model;
  model.EditTensors([](std::vector<StoredTensor>& tensors) {
    Named(tensors, kQuery).shape = {48, 12};
    Named(tensors, "final_logits_bias").shape = {100};
  });
  EXPECT_THAT(
      ReadError(model),
      AllOf(HasSubstr("misshapen tensors: "),
            HasSubstr(kQuery + std::string(" [48, 12] instead of [24, 24]")),
            HasSubstr("final_logits_bias [100] instead of [1, 100]")));
}

TEST(HuggingFaceMarianTest, ALayerTooFewInTheConfigLeavesTensorsOver) {
  TinyModelCopy model;
  model.EditConfig({{"decoder_layers", 1}});
  EXPECT_THAT(ReadError(model),
              HasSubstr("unexpected tensors: model.decoder.layers.1"));
}

TEST(HuggingFaceMarianTest, EveryShapeOfTheConfigIsHeldAgainstTheTensors) {
  for (const auto& [field, value] :
       std::vector<std::pair<std::string, int>>{{"d_model", 48},
                                                {"encoder_ffn_dim", 31},
                                                {"decoder_ffn_dim", 33},
                                                {"vocab_size", 101},
                                                {"encoder_layers", 3},
                                                {"decoder_layers", 3}}) {
    TinyModelCopy model;
    model.EditConfig({{field, value}});
    EXPECT_THAT(ReadError(model), HasSubstr("tensors: ")) << field;
  }
}

// As transformers names the matrices of a model and sees their numbers.
std::vector<std::string> NamesAndBytes(const CanonicalModel& model) {
  std::vector<std::string> all;
  for (const auto& [part, linear] : model.linears) {
    for (const SourceTensor* tensor : linear.weights) {
      all.push_back(part + " " + tensor->name + " " +
                    std::string(AsText(tensor->data)));
    }
  }
  return all;
}

TEST(HuggingFaceNamesTest, EachFamilyIsReadWithoutAndWithAPrefix) {
  for (const char* family :
       {"bart", "m2m100", "mbart", "mt5", "nllb_json", "pegasus", "small100",
        "t5", "marian_codes", "indictrans_distilled"}) {
    SCOPED_TRACE(family);
    const std::filesystem::path original = TestData("family_texts") / family;
    const CanonicalModel expected = OpenModel(original, false);
    const bool has_base = !std::string(family).ends_with("t5");
    const auto expect_same = [&](const char* note, const auto& rename) {
      SCOPED_TRACE(note);
      TinyModelCopy copy("../family_texts/" + std::string(family));
      copy.EditTensors([&](std::vector<StoredTensor>& tensors) {
        for (StoredTensor& tensor : tensors) tensor.name = rename(tensor.name);
      });
      const CanonicalModel read = OpenModel(copy.path(), false);
      EXPECT_TRUE(NamesAndBytes(read) == NamesAndBytes(expected));
      EXPECT_EQ(read.tables, expected.tables);
      EXPECT_THAT(read.warnings, testing::Contains(HasSubstr(note)));
    };
    const auto bare = [](const std::string& name) {
      return name.starts_with("model.") ? name.substr(6) : name;
    };
    const auto with = [](const std::string& prefix) {
      return [=](const std::string& name) { return prefix + name; };
    };
    expect_same("module., which torch.nn.DataParallel adds", with("module."));
    expect_same("began with net.original., which", with("net.original."));
    expect_same("began with transformer., which", [](const std::string& name) {
      return name.starts_with("lm_head") || name == "final_logits_bias"
                 ? name
                 : "transformer." + name;
    });
    if (!has_base) continue;
    expect_same("lacked model.,", bare);
    expect_same("lacked model.,", [&](const std::string& name) {
      return name.find("encoder") == name.npos ? name : bare(name);
    });
    expect_same("began with net., which",
                [&](const std::string& name) { return "net." + bare(name); });
  }
}

TEST(HuggingFaceNamesTest, TwoModelsInAFileAreRefused) {
  TinyModelCopy model;
  model.EditTensors([](std::vector<StoredTensor>& tensors) {
    const std::vector<StoredTensor> whole = tensors;
    for (StoredTensor tensor : whole) {
      tensor.name = "teacher." + tensor.name;
      tensors.push_back(tensor);
    }
  });
  EXPECT_THAT(ReadError(model),
              HasSubstr("model.safetensors: holds several models, whose names "
                        "begin with model. and teacher.model.; save one of "
                        "them alone."));
  TinyModelCopy twice;
  twice.EditTensors([](std::vector<StoredTensor>& tensors) {
    StoredTensor tensor = Named(tensors, kQuery);
    tensor.name = tensor.name.substr(6);
    tensors.push_back(tensor);
  });
  EXPECT_THAT(ReadError(twice),
              HasSubstr(std::string("has both ") + kQuery + " and " +
                        (kQuery + 6) + "; save one of the two models alone."));
}

TEST(HuggingFaceMarianTest, ATiedMatrixIsFoundUnderEachOfItsNames) {
  for (const char* name :
       {"model.encoder.embed_tokens.weight",
        "model.decoder.embed_tokens.weight", "lm_head.weight", kShared}) {
    TinyModelCopy model;
    model.EditTensors([&](std::vector<StoredTensor>& tensors) {
      Named(tensors, kShared).name = name;
    });
    const CanonicalModel read = Read(model);
    EXPECT_TRUE(read.architecture.source_embedding_tied) << name;
    EXPECT_TRUE(read.architecture.target_embedding_tied) << name;
    EXPECT_FALSE(read.linears.contains("source_embedding"));
    EXPECT_FALSE(read.linears.contains("target_embedding"));
    EXPECT_EQ(read.linears.at("output").weights.at(0)->name, name);
  }
}

TEST(HuggingFaceMarianTest, EqualCopiesOfATiedMatrixAreStillTied) {
  const CanonicalModel read =
      Read(TinyModelCopy("hub_2020"));  // Holds all four.
  EXPECT_TRUE(read.architecture.source_embedding_tied);
  EXPECT_TRUE(read.architecture.target_embedding_tied);
}

TEST(HuggingFaceMarianTest, UntiedMatricesKeepTheirOwnTensors) {
  const CanonicalModel read = Read(TinyModelCopy("untied"));
  EXPECT_FALSE(read.architecture.source_embedding_tied);
  EXPECT_FALSE(read.architecture.target_embedding_tied);
  EXPECT_EQ(read.linears.at("source_embedding").weights.at(0)->name,
            "model.encoder.embed_tokens.weight");
  EXPECT_EQ(read.linears.at("target_embedding").weights.at(0)->name,
            "model.decoder.embed_tokens.weight");
  EXPECT_EQ(read.linears.at("output").weights.at(0)->name, "lm_head.weight");
}

TEST(HuggingFaceMarianTest, UntiedNeedsItsOwnOutputMatrix) {
  TinyModelCopy model;
  model.EditConfig({{"tie_word_embeddings", false}});
  EXPECT_THAT(ReadError(model), HasSubstr("missing tensors: lm_head.weight"));
}

TEST(HuggingFaceMarianTest, SeparateVocabulariesTieTheOutputToTheDecoder) {
  const CanonicalModel read = Read(TinyModelCopy("separate_vocabs"));
  EXPECT_EQ(read.architecture.source_vocabulary, 110u);
  EXPECT_EQ(read.architecture.target_vocabulary, 95u);
  EXPECT_FALSE(read.architecture.source_embedding_tied);
  EXPECT_TRUE(read.architecture.target_embedding_tied);
  EXPECT_EQ(read.linears.at("source_embedding").weights.at(0)->name,
            "model.encoder.embed_tokens.weight");
}

TEST(HuggingFaceMarianTest, AModelWithoutLogitsBiasHasNone) {
  TinyModelCopy model;
  model.EditTensors([](std::vector<StoredTensor>& tensors) {
    Remove(tensors, "final_logits_bias");
  });
  EXPECT_EQ(Read(model).linears.at("output").biases.at(0), nullptr);
}

TEST(HuggingFaceMarianTest, AttentionProjectionsAreFusedInOrder) {
  const CanonicalModel read = Read(TinyModelCopy("no_scale"));
  const CanonicalLinear& qkv = read.linears.at("decoder.1.self_attention.qkv");
  ASSERT_EQ(qkv.weights.size(), 3u);
  const std::string from = "model.decoder.layers.1.self_attn.";
  EXPECT_EQ(qkv.weights[0]->name, from + "q_proj.weight");
  EXPECT_EQ(qkv.weights[1]->name, from + "k_proj.weight");
  EXPECT_EQ(qkv.weights[2]->name, from + "v_proj.weight");
  EXPECT_EQ(qkv.biases[2]->name, from + "v_proj.bias");
  const CanonicalLinear& kv = read.linears.at("decoder.0.cross_attention.kv");
  ASSERT_EQ(kv.weights.size(), 2u);
  EXPECT_EQ(kv.weights[0]->name,
            "model.decoder.layers.0.encoder_attn.k_proj.weight");
}

TEST(HuggingFaceMarianTest, PositionsAreComputedWhereTheFileHasNone) {
  const CanonicalModel read = Read(TinyModelCopy("no_scale"));
  EXPECT_TRUE(read.architecture.positions_shared);
  EXPECT_FALSE(read.tables.contains("target_positions"));
  const std::vector<float>& table = read.tables.at("source_positions");
  ASSERT_EQ(table.size(), 40u * 24u);
  EXPECT_EQ(table[0], 0.0f);
  EXPECT_EQ(table[12], 1.0f);
  // Position 3, second sine and cosine.
  const double angle = 3 / std::pow(10000.0, 2.0 / 24);
  EXPECT_FLOAT_EQ(table[3 * 24 + 1], static_cast<float>(std::sin(angle)));
  EXPECT_FLOAT_EQ(table[3 * 24 + 13], static_cast<float>(std::cos(angle)));
}

TEST(HuggingFaceMarianTest, PositionsInTheFileWinOverTheFormula) {
  TinyModelCopy model("learned_positions");
  const CanonicalModel learned = Read(model);
  EXPECT_FALSE(learned.architecture.positions_shared);
  EXPECT_NE(learned.tables.at("source_positions"),
            learned.tables.at("target_positions"));
  model.EditConfig({{"static_position_embeddings", true}});
  EXPECT_EQ(Read(model).tables, learned.tables);
}

TEST(HuggingFaceMarianTest, LearnedPositionsMustBeThere) {
  TinyModelCopy model;
  model.EditConfig({{"static_position_embeddings", false}});
  EXPECT_THAT(ReadError(model),
              HasSubstr("missing tensors: model.encoder.embed_positions"));
}

TEST(HuggingFaceMarianTest, NormsOfOptionsThatAreOffAreUnexpected) {
  TinyModelCopy model("postnorm_all");
  model.EditConfig({{"normalize_embedding", false}});
  EXPECT_THAT(ReadError(model), HasSubstr("unexpected tensors: "
                                          "model.decoder.layernorm_embedding"));
}

TEST(HuggingFaceMarianTest, ReadsHalfPrecisionAsTheSameNumbers) {
  const CanonicalModel read = Read(TinyModelCopy("float16"));
  const CanonicalNorm& norm = read.norms.at("encoder.0.ffn.norm");
  ASSERT_EQ(norm.gamma->type, SourceType::kF16);
  for (const float gamma : norm.gamma->Values()) {
    EXPECT_GT(std::fabs(gamma), 0.01f);
    EXPECT_LT(std::fabs(gamma), 10.0f);
  }
}

TEST(HuggingFaceMarianTest, TheLicenceComesFromTheFileOrTheModelCard) {
  TinyModelCopy model;
  EXPECT_EQ(Read(model).license, "");
  WriteFile(model.path() / "README.md",
            "---\nlanguage: de\nlicense: 'cc-by-4.0'\n---\nlicense: none\n");
  EXPECT_EQ(Read(model).license, "cc-by-4.0");
  WriteFile(model.path() / "LICENSE", "Apache License\nVersion 2.0\n\n");
  EXPECT_EQ(Read(model).license, "Apache License\nVersion 2.0");
}

TEST(HuggingFaceMarianTest, TheSourceIsTheNameOrTheFolder) {
  TinyModelCopy model;
  EXPECT_EQ(Read(model).source, model.path().filename().string());
  model.EditConfig({{"_name_or_path", "Helsinki-NLP/opus-mt-en-de"}});
  EXPECT_EQ(Read(model).source, "Helsinki-NLP/opus-mt-en-de");
}

TEST(HuggingFaceMarianTest, NamesTensorsWhoseTypeCannotBeConverted) {
  TinyModelCopy model;
  model.EditTensors([](std::vector<StoredTensor>& tensors) {
    tensors.push_back({"zeta", "I64", {1}, std::string(8, '\0')});
  });
  EXPECT_THAT(ReadError(model),
              AllOf(HasSubstr("tensors that cannot be converted: zeta (has "
                              "type I64)"),
                    Not(HasSubstr("missing"))));
}

TEST(HuggingFaceMarianTest, SaysWhichWeightFilesItLooksFor) {
  TinyModelCopy model;
  std::filesystem::remove(model.path() / "model.safetensors");
  EXPECT_THAT(ReadError(model), AllOf(HasSubstr(model.path().string()),
                                      HasSubstr("model.safetensors"),
                                      HasSubstr("pytorch_model.bin")));
}

TEST(HuggingFaceIndicTransTest, SaysWhatPreparesTexts) {
  const std::filesystem::path folder =
      TestData("family_texts/indictrans_distilled");
  EXPECT_THAT(OpenModel(folder, /*with_tokenizer=*/true).warnings,
              ElementsAre(HasSubstr("IndicProcessor")));
  EXPECT_THAT(OpenModel(folder, /*with_tokenizer=*/false).warnings, IsEmpty());
}

}  // namespace latimer::huggingface_bart_test
