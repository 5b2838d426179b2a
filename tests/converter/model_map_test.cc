// Maps of own models: presets, files on top of them, flags and settings.
// Tests converter/readers/model_map.cc, converter/readers/map_json.cc,
// converter/readers/map_parts.cc.
#include "converter/readers/model_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/readers/map_json.h"
#include "tests/converter/model_folder.h"

namespace latimer::model_map_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using Settings = std::vector<std::string>;

std::string PresetError(const Settings& settings) {
  return ErrorOf(
      [&] { (void)ReadModelMap("preset:encoder_layers", settings); });
}

class MapFile {
 public:
  explicit MapFile(const std::string& text) : path_(folder_.path() / "m.json") {
    WriteFile(path_, text);
  }
  std::string path() const { return path_; }
  std::filesystem::path folder() const { return folder_.path(); }
  ModelMap Read(const Settings& settings = {}) const {
    return ReadModelMap(path_, settings);
  }
  std::string Error(const Settings& settings = {}) const {
    return ErrorOf([&] { (void)Read(settings); });
  }

 private:
  TempFolder folder_;
  std::filesystem::path path_;
};

// The flags that a preset leaves open.
Settings Missing(const std::string& preset) {
  return preset.starts_with("gru_") || preset.starts_with("lstm_")
             ? Settings{}
             : Settings{"heads=2"};
}

TEST(ModelMapTest, EveryPresetIsAWholeMapBesideItsHeads) {
  for (const auto& [name, text] : MapPresets()) {
    const ModelMap map = ReadModelMap("preset:" + name, Missing(name));
    EXPECT_EQ(map.name, "preset:" + name);
    EXPECT_TRUE(map.tensors.contains("source_embedding")) << name;
    EXPECT_GE(map.target_ids.eos, 0) << name;
  }
  EXPECT_GE(MapPresets().size(), 7u);
}

TEST(ModelMapTest, APrintedPresetIsAFileThatMeansTheSame) {
  for (const auto& [name, text] : MapPresets()) {
    const ModelMap preset = ReadModelMap("preset:" + name, Missing(name));
    const ModelMap file = MapFile(text).Read(Missing(name));
    ASSERT_EQ(file.tensors.size(), preset.tensors.size());
    for (const auto& [part, names] : preset.tensors) {
      EXPECT_EQ(file.tensors.at(part).weight, names.weight) << part;
      EXPECT_EQ(file.tensors.at(part).bias, names.bias) << part;
    }
    EXPECT_EQ(file.norm_epsilon, preset.norm_epsilon);
  }
}

TEST(ModelMapTest, ModulesHaveWeightAndBiasUnlessBothAreNamed) {
  const ModelMap map = ReadModelMap(
      "preset:encoder_layers",
      Settings{
          "heads=2", "tensors.output={a|b}",
          R"(tensors.encoder.norm={"gamma":"n.g"})",
          R"(tensors.encoder.ffn.in={"weight":"e.{layer}.w","bias":"e.{layer}.c"})"});
  EXPECT_THAT(map.tensors.at("output").weight,
              ElementsAre("a.weight", "b.weight"));
  EXPECT_THAT(map.tensors.at("output").bias, ElementsAre("a.bias", "b.bias"));
  EXPECT_THAT(map.tensors.at("encoder.norm").weight, ElementsAre("n.g"));
  EXPECT_TRUE(map.tensors.at("encoder.norm").bias.empty());
  EXPECT_THAT(map.tensors.at("encoder.ffn.in").bias,
              ElementsAre("e.{layer}.c"));
  EXPECT_TRUE(map.tensors.at("source_embedding").bias.empty());
  EXPECT_THAT(map.tensors.at("source_positions").weight,
              testing::Contains("pos_encoding.pe"));
}

TEST(ModelMapTest, AMapMayBeWrittenOnTopOfAPreset) {
  const MapFile file(R"({
    // Differences from the preset.
    "base": "preset:nn_transformer",
    "heads": {"encoder": 4, "decoder": 2},
    "norm_order": "pre",
    "tensors": {"output": "head", "source_positions": null},
    "source_prefix": [7, "sos"],
    "source_vocabulary": {"file": "words.json"}
  })");
  const ModelMap map = file.Read({"target_vocabulary.file=sub/t.json"});
  EXPECT_EQ(map.encoder_heads, 4u);
  EXPECT_EQ(map.decoder_heads, 2u);
  EXPECT_TRUE(map.pre_norm);
  EXPECT_THAT(map.tensors.at("output").weight, ElementsAre("head.weight"));
  EXPECT_FALSE(map.tensors.contains("source_positions"));
  EXPECT_TRUE(map.tensors.contains("target_positions"));
  EXPECT_THAT(map.source_prefix, ElementsAre(7, 2));
  EXPECT_THAT(map.source_suffix, ElementsAre(3));
  EXPECT_EQ(map.decoder_start, 2);
  // Paths in a file are relative to its folder, those of the command line to
  // the current folder.
  EXPECT_EQ(map.source_vocabulary.file, file.folder() / "words.json");
  EXPECT_EQ(map.target_vocabulary.file, "sub/t.json");
}

TEST(ModelMapTest, AVocabularyMayBeNamedByItsFileAlone) {
  const MapFile file(R"({"base": "preset:encoder_layers", "heads": 2,
                         "target_vocabulary": "t.json"})");
  const ModelMap map = file.Read({"source_vocabulary=s.json"});
  EXPECT_EQ(map.source_vocabulary.file, "s.json");
  EXPECT_TRUE(map.source_vocabulary.lower_case);
  EXPECT_EQ(map.target_vocabulary.file, file.folder() / "t.json");
}

TEST(ModelMapTest, EveryFlagOfTheFileArrives) {
  const ModelMap map = ReadModelMap(
      "preset:q_linear", Settings{"heads=3",
                                  "head_layout=interleaved",
                                  "attention_scale=0.25",
                                  "residual=false",
                                  "norm_order=pre",
                                  "norm_formula=unbiased_std",
                                  "norm_epsilon=0.001",
                                  "final_norm=true",
                                  "embedding_norm=false",
                                  "activation=gelu_tanh",
                                  "embedding_scale=2.5",
                                  "shared_embeddings=true",
                                  "tied_output=true",
                                  "positions=halves",
                                  "positions_axis=batch",
                                  "position_offset=2",
                                  "position_divisor=d/2-1",
                                  "embedding_norm_order=before_positions",
                                  "max_source_tokens=30",
                                  "max_target_tokens=31",
                                  "source_ids.unk=9",
                                  "target_ids.eos=8",
                                  "source_suffix=[]",
                                  "source_length=20",
                                  "decoder_start=pad",
                                  "prefix=net.",
                                  R"(ignore=["*.x"])",
                                  "target_vocabulary.kind=characters",
                                  "source_vocabulary.kind=pieces",
                                  "source_vocabulary.unknown=skip",
                                  "source_vocabulary.skip_spaces=true",
                                  "source_vocabulary.lower_case=true"});
  EXPECT_EQ(map.encoder_heads, 3u);
  EXPECT_EQ(map.head_layout, HeadLayout::kInterleaved);
  EXPECT_EQ(map.attention_scale_kind, ModelMap::AttentionScale::kNumber);
  EXPECT_EQ(map.attention_scale, 0.25);
  EXPECT_FALSE(map.residual);
  EXPECT_TRUE(map.pre_norm && map.has_norms && map.unbiased_std);
  EXPECT_EQ(map.norm_epsilon, 0.001);
  EXPECT_EQ(map.final_norm, Presence::kYes);
  EXPECT_EQ(map.embedding_norm, Presence::kNo);
  EXPECT_EQ(map.activation, Activation::kGeluTanh);
  EXPECT_EQ(map.embedding_scale, 2.5);
  EXPECT_TRUE(map.shared_embeddings && map.tied_output);
  EXPECT_EQ(map.positions, PositionKind::kHalves);
  EXPECT_TRUE(map.positions_along_batch);
  EXPECT_EQ(map.position_offset, 2u);
  EXPECT_TRUE(map.short_divisor);
  EXPECT_TRUE(map.encoder_norm_before_positions &&
              map.decoder_norm_before_positions);
  EXPECT_EQ(map.max_source_tokens, 30u);
  EXPECT_EQ(map.max_target_tokens, 31u);
  EXPECT_EQ(map.source_ids.unk, 9);
  EXPECT_EQ(map.source_ids.pad, 0);
  EXPECT_EQ(map.target_ids.eos, 8);
  EXPECT_TRUE(map.source_suffix.empty());
  EXPECT_EQ(map.source_length, 20u);
  EXPECT_EQ(map.decoder_start, 0);
  EXPECT_EQ(map.prefix, "net.");
  EXPECT_THAT(map.ignore, ElementsAre("*.x"));
  EXPECT_EQ(map.target_vocabulary.kind, TokenizerSide::Kind::kCharacters);
  EXPECT_EQ(map.source_vocabulary.kind, TokenizerSide::Kind::kLongestMatch);
  EXPECT_TRUE(map.source_vocabulary.skips_unknown);
  EXPECT_TRUE(map.source_vocabulary.skips_spaces);
  EXPECT_TRUE(map.source_vocabulary.lower_case);
}

TEST(ModelMapTest, ItIsKnownWhatSaysLowerCase) {
  const auto says = [](const std::string& from, const Settings& settings) {
    return ReadModelMap(from, settings).source_vocabulary.says_lower_case;
  };
  EXPECT_EQ(says("preset:q_linear", {"heads=2"}), "preset:q_linear");
  const MapFile based(R"({"base": "preset:q_linear", "heads": 2,
                          "source_vocabulary": {"kind": "characters"}})");
  EXPECT_EQ(based.Read({}).source_vocabulary.says_lower_case,
            "preset:q_linear");
  EXPECT_NE(based.Read({"source_vocabulary.lower_case=true"})
                .source_vocabulary.says_lower_case,
            "preset:q_linear");
  const MapFile own(R"({"base": "preset:q_linear", "heads": 2,
                        "source_vocabulary": {"lower_case": true}})");
  EXPECT_NE(own.Read({}).source_vocabulary.says_lower_case, "preset:q_linear");
}

TEST(ModelMapTest, AMissingFlagIsNamed) {
  EXPECT_THAT(PresetError({}),
              AllOf(HasSubstr("preset:encoder_layers: heads is missing"),
                    HasSubstr("--set heads=N")));
  for (const char* flag :
       {"norm_order", "activation", "embedding_scale", "positions",
        "source_ids", "target_ids", "source_prefix", "source_suffix",
        "decoder_start", "tensors"}) {
    EXPECT_THAT(PresetError({"heads=2", std::string(flag) + "=null"}),
                HasSubstr(std::string(flag) + " is missing; it"))
        << flag;
  }
  EXPECT_THAT(
      PresetError({"heads=2", "target_ids.eos=null", "source_suffix=[]"}),
      HasSubstr("target_ids has no eos"));
}

TEST(ModelMapTest, AnUnknownFlagIsNamed) {
  EXPECT_THAT(
      PresetError({"heads=2", "norm_odrer=pre"}),
      AllOf(HasSubstr("norm_odrer is unknown"), HasSubstr("norm_order")));
  EXPECT_THAT(PresetError({"heads=2", "tensors.encoder.attn.query=x"}),
              AllOf(HasSubstr("tensors: encoder.attn.query is unknown"),
                    HasSubstr("encoder.self_attention.query")));
  EXPECT_THAT(PresetError({"heads.encodr=2"}),
              HasSubstr("heads: encodr is unknown"));
  EXPECT_THAT(PresetError({"heads=2", "source_ids.bos=2"}),
              HasSubstr("source_ids: bos is unknown"));
  EXPECT_THAT(PresetError({"heads=2", "source_vocabulary.path=x"}),
              HasSubstr("source_vocabulary: path is unknown"));
}

TEST(ModelMapTest, AFlagThatIsNotWhatItMustBeIsNamedWithItsValue) {
  for (const auto& [setting, expected] :
       std::vector<std::pair<std::string, std::string>>{
           {"norm_order=prenorm", "\"prenorm\"; it must be one of post, pre"},
           {"activation=relu6", "\"relu6\"; it must be one of relu, gelu"},
           {"positions=sinusoidal", "it must be one of interleaved, halves"},
           {"positions_axis=0", "it must be one of sequence, batch"},
           {"position_divisor=d/2-1", "is for positions in halves"},
           {"embedding_norm_order=first",
            "it must be one of after_positions, before_positions"},
           {"embedding_norm_order.both=x", "both is unknown"},
           {"head_layout=split", "it must be one of contiguous"},
           {"final_norm=maybe", "it must be one of true, false, if_present"},
           {"embedding_scale=sqrt", "it must be sqrt(d_model) or a number"},
           {"embedding_scale=0", "it must be a number above 0"},
           {"attention_scale=8x", "it must be 1/sqrt(head_dim)"},
           {"norm_epsilon=-1", "it must be a number above 0"},
           {"heads=0", "it must be a whole number of at least 1"},
           {"heads=two", "it must be a whole number of at least 1"},
           {"residual=1", "it must be true or false"},
           {"ignore=x", "it must be a list of strings"},
           {"source_prefix=sos", "it must be a list"},
           {"source_prefix=[\"bos\"]",
            "[\"bos\"]; each id is a number or one of"},
           {"decoder_start=bos", "one of the names that target_ids has"},
           {"source_ids=3", "it must be an object"},
           {"source_length=0", "it must be a whole number of at least 1"},
           {"source_length=2", "no room for text beside the 2 ids of"},
           {"source_vocabulary.kind=bpe", "one of words, characters, pieces"},
           {"source_vocabulary.unknown=drop", "must be one of token, skip"},
           {R"(source_vocabulary={"kind": "sentencepiece", "unknown": "skip"})",
            "has its own unknown piece"},
           {"target_vocabulary.unknown=skip",
            "only a source has unknown text to skip"},
           {"source_vocabulary.skip_spaces=true",
            "it is for the kinds characters and pieces"},
           {"source_vocabulary.ids=x.json",
            "only SentencePiece models can have"},
           {"source_vocabulary.kind=sentencepiece",
            "has its own normalization"},
           {"tensors.output=3", "it must be the name of a module or {"},
           {"tensors.output={\"w\":\"x\"}", "it must be the name of a module"},
           {"tensors.source_positions={\"weight\":\"x\"}",
            "it must be the name of the table"},
           {"tensors.encoder.ffn.in=enc.fc", "needs {layer}"},
           {"tensors.output=fc.{layer}", "it belongs to no layer"},
           {"tensors.encoder.ffn.in=e.{layer}.{head}", "have {head}"},
           {"tensors.output={a}", "{a} is neither"},
           {"tensors.encoder.self_attention.query=e.{layer}.h.{head}.q",
            "it has no {head}"},
           {"head_layout=modules", "it has a {head}"}}) {
    EXPECT_THAT(PresetError({"heads=2", setting}),
                AllOf(HasSubstr("preset:encoder_layers"), HasSubstr(expected)))
        << setting;
  }
}

std::vector<std::string> Assumed(const ModelMap& map) {
  std::vector<std::string> flags;
  for (const std::string& line : map.assumptions) {
    flags.push_back(line.substr(0, line.find(": ")));
  }
  return flags;
}

TEST(ModelMapTest, WhatAMapLeavesOutIsNotedAsAssumed) {
  const Settings silent = {
      "heads=2",
      "head_layout=null",
      "attention_scale=null",
      "residual=null",
      "norm_formula=null",
      "norm_epsilon=null",
      "positions_axis=null",
      "position_offset=null",
      "positions=halves",
      R"(source_vocabulary={"file": "x", "kind": null, "lower_case": null})"};
  EXPECT_THAT(
      Assumed(ReadModelMap("preset:encoder_layers", silent)),
      ElementsAre("head_layout", "attention_scale", "norm_formula",
                  "norm_epsilon", "embedding_norm_order", "residual",
                  "positions_axis", "position_offset", "position_divisor",
                  "source_length", "source_vocabulary.kind",
                  "source_vocabulary.lower_case", "source_vocabulary.unknown"));
  const Settings said = {
      "heads=2",          "embedding_norm_order=after_positions",
      "norm_order=none",  "positions=none",
      "source_length=25", "source_vocabulary.unknown=token"};
  EXPECT_THAT(Assumed(ReadModelMap("preset:encoder_layers", said)),
              ElementsAre());
  EXPECT_THAT(
      Assumed(ReadModelMap("preset:gru_bahdanau",
                           Settings{"tensors.source_embedding=null"})),
      ElementsAre("tensors.source_embedding", "attention_activation",
                  "query_layers", "reverse_source", "initial_activation",
                  "energy_activation", "source_length"));
}

TEST(ModelMapTest, AFixedSourceLengthIsTheLongestSource) {
  EXPECT_EQ(ReadModelMap("preset:encoder_layers",
                         Settings{"heads=2", "source_length=25"})
                .max_source_tokens,
            25u);
  EXPECT_EQ(ReadModelMap(
                "preset:encoder_layers",
                Settings{"heads=2", "source_length=25", "max_source_tokens=40"})
                .max_source_tokens,
            40u);
  EXPECT_THAT(
      PresetError({"heads=2", "source_length=25", "max_source_tokens=24"}),
      HasSubstr("source_length is 25; it exceeds max_source_tokens, which is "
                "24 in this map; --set max_source_tokens=25 raises it"));
  EXPECT_THAT(PresetError({"heads=2", "source_length=25",
                           "source_ids.pad="
                           "null"}),
              HasSubstr("source_length is 25; source_ids has no pad"));
}

TEST(ModelMapTest, SettingsAndFilesThatAreNoneAreRefused) {
  EXPECT_THAT(PresetError({"heads"}),
              HasSubstr("--set heads: it must be FLAG"));
  EXPECT_THAT(PresetError({"=3"}), HasSubstr("it must be FLAG=VALUE"));
  EXPECT_THAT(ErrorOf([] { (void)ReadModelMap("preset:none", Settings{}); }),
              AllOf(HasSubstr("preset:none: the presets are "),
                    HasSubstr("encoder_layers"), HasSubstr("q_proj")));
  EXPECT_THAT(ErrorOf([] { (void)ReadModelMap("none.json", Settings{}); }),
              HasSubstr("none.json: cannot read this map"));
  EXPECT_THAT(MapFile("{\n\"heads\": 2,\n}").Error(),
              HasSubstr("m.json: line 3 is not JSON"));
  EXPECT_THAT(MapFile("[]").Error(), HasSubstr("not a JSON object"));
  EXPECT_THAT(MapFile("{\"base\": \"other.json\"}").Error(),
              HasSubstr("base is \"other.json\"; it must be \"preset:NAME\""));
}

TEST(ModelMapTest, AQuoteInACommentHidesNoDepth) {
  const auto nested = [](size_t depth, const std::string& comment) {
    std::string text = "{" + comment + "\"heads\": ";
    for (size_t i = 1; i < depth; ++i) text += "{\"a\": ";
    return text + "1" + std::string(depth, '}');
  };
  for (const std::string comment : {"", "/* \" */ ", "// \"\n"}) {
    EXPECT_THAT(MapFile(nested(101, comment)).Error(),
                HasSubstr("m.json: it is nested too deep."));
    EXPECT_THAT(MapFile(nested(200000, comment)).Error(),
                HasSubstr("m.json: it is nested too deep."));
    EXPECT_THAT(MapFile(nested(100, comment)).Error(),
                Not(HasSubstr("nested")));
  }
}

}  // namespace latimer::model_map_test
