// A model file says which kind of tokenizer it needs, and a build without that
// kind refuses it.
// Tests runtime/model/tokenizer_file.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "converter/model_writer.h"
#include "converter/readers/huggingface_tokenizer.h"
#include "converter/readers/open_model.h"
#include "converter/tokenizer_builder.h"
#include "internals.h"
#include "latimer/translator.h"
#include "tests/converter/model_folder.h"
#include "tests/system/demo_model.h"
#include "tests/system/program.h"
#include "tests/system/usable_tile.h"
#include "tests/text/tokenizer_fixture.h"

namespace latimer::tokenizer_profile_test {

using ::testing::HasSubstr;

Workspace& workspace = test_workspace;

std::filesystem::path Data() {
  return std::filesystem::path(LATIMER_SOURCE_DIR) / "tests" / "data";
}

// A tiny model with a tokenizer of these sides.
ModelBytes TinyModel(TokenizerSide source, TokenizerSide target) {
  CanonicalModel model =
      ReadHuggingFaceBart(TinyModelsFolder() / "no_scale", false);
  source.rows = model.architecture.source_vocabulary;
  target.rows = model.architecture.target_vocabulary;
  source.more_rows = target.more_rows = true;
  model.tokenizer = BuildTokenizer(source, target);
  return WriteModel(
      model,
      {.weights = WeightType::kInt8, .tile = UsableTile(), .progress = {}});
}

// The same of the first pieces of a SentencePiece model.
ModelBytes BpeModel(const char* name) {
  SentencePieceModel spm =
      ReadSentencePieceModel(Data() / "sentencepiece_bpe" / name);
  spm.pieces.resize(90);
  return TinyModel({.model = &spm}, {.model = &spm});
}

ModelBytes WordModel() {
  const Vocabulary words{"words", {"<unk>", "a", "cat"}};
  const TokenizerSide side{.kind = TokenizerSide::Kind::kWords,
                           .vocabulary = &words};
  return TinyModel(side, side);
}

// The demo model with another tokenizer, of tests/data/huggingface_tokenizer.
ModelBytes HuggingFaceModel(const std::string& folder, TokenizerData* data) {
  CanonicalModel model = ReadHuggingFaceBart(
      std::filesystem::path(LATIMER_SOURCE_DIR) / "examples" / "en-de", false);
  const std::filesystem::path path = Data() / "huggingface_tokenizer" / folder;
  *data =
      ReadHuggingFaceTokenizer(path, TokenizerClassOf(path), model.architecture)
          .data;
  model.tokenizer = *data;
  return WriteModel(
      model,
      {.weights = WeightType::kInt8, .tile = UsableTile(), .progress = {}});
}

ModelDescription InfoOf(const ModelBytes& bytes) {
  ModelDescription info;
  const Status status = ReadModelInfo(bytes.bytes(), true, &workspace, &info);
  EXPECT_TRUE(status.ok()) << status.message();
  return info;
}

TEST(TokenizerProfileTest, TheProfileHasTheKindsThatTheModelNeeds) {
  const ModelBytes bpe = BpeModel("bpe_split_digits.spm");
  Profile p = *ExactProfile(InfoOf(bpe), {}, "bpe");
  EXPECT_TRUE(p.tokenizer && p.bpe);
  EXPECT_FALSE(p.unigram || p.words);
  EXPECT_EQ(p.bpe_unused_pieces, 0u);
  const uint64_t with_heap = BufferBytes(p, Buffer::kTokenizer);
  p.bpe = false;
  EXPECT_EQ(with_heap - BufferBytes(p, Buffer::kTokenizer),
            Padded(4 * uint64_t{p.text_bytes}));

  const ModelBytes unused = BpeModel("bpe_unused.spm");
  p = *ExactProfile(InfoOf(unused), {}, "unused");
  EXPECT_TRUE(p.bpe);
  EXPECT_GT(p.bpe_unused_pieces, 10u);

  const ModelBytes words = WordModel();
  p = *ExactProfile(InfoOf(words), {}, "words");
  EXPECT_TRUE(p.tokenizer && p.words);
  EXPECT_FALSE(p.unigram || p.bpe);
}

TEST(TokenizerProfileTest, ALoadedModelTokenizesByItsKind) {
  for (const char* name : {"bpe_split_digits", "bpe_unused"}) {
    const ModelBytes bytes = BpeModel((std::string(name) + ".spm").c_str());
    Translator translator;
    ASSERT_TRUE(translator.Load(bytes.bytes(), &workspace).ok());
    int32_t ids[64];
    const auto count = translator.Tokenize("the tent ate this", ids);
    ASSERT_TRUE(count.ok()) << count.status().message();
    EXPECT_GT(*count, 2u);
    EXPECT_LT(*count, 18u);  // Something was merged.
    EXPECT_TRUE(translator.Translate("the tent ate this").ok());
  }
  const ModelBytes words = WordModel();
  Translator translator;
  ASSERT_TRUE(translator.Load(words.bytes(), &workspace).ok());
  int32_t ids[8];
  ASSERT_EQ(*translator.Tokenize("a cat sat", ids), 4u);
  EXPECT_EQ(ids[0], 1);
  EXPECT_EQ(ids[1], 2);
  EXPECT_EQ(ids[2], 0);
  EXPECT_EQ(*translator.Detokenize(std::span(ids).first(2)), "a cat");
}

TEST(TokenizerProfileTest, ThoseOfHuggingFacesFamiliesAreInTheFileAsTheyAre) {
  struct Kind {
    const char* folder;
    bool unigram, bpe, metaspace, byte_bpe, bytes;
  };
  const Kind kinds[] = {{"t5", true, false, true, false, false},
                        {"nllb_pairs", false, true, true, false, false},
                        {"bart_prefix_space", false, false, false, true, false},
                        {"byt5", false, false, false, false, true},
                        {"m2m100", false, true, false, false, false},
                        {"gemma", false, true, false, true, false}};
  for (const Kind& kind : kinds) {
    SCOPED_TRACE(kind.folder);
    TokenizerData data;
    const ModelBytes bytes = HuggingFaceModel(kind.folder, &data);
    const Profile p = *ExactProfile(InfoOf(bytes), {}, "exact");
    EXPECT_EQ(p.unigram, kind.unigram);
    EXPECT_EQ(p.bpe, kind.bpe);
    EXPECT_EQ(p.metaspace, kind.metaspace);
    EXPECT_EQ(p.byte_bpe, kind.byte_bpe);
    EXPECT_EQ(p.bytes, kind.bytes);
    EXPECT_FALSE(p.words);

    OwnedTokenizer owned(std::move(data));
    const std::string text = ">>x<< the  tent's e\u0323\u0302 \uff21</s> 12\n";
    std::vector<int32_t> ids = owned.Encode(text);
    const std::string decoded = owned.Decode(ids);
    Translator translator;
    ASSERT_TRUE(translator.Load(bytes.bytes(), &workspace).ok());
    std::vector<int32_t> loaded(ids.size() + 1);
    ASSERT_EQ(*translator.Tokenize(text, loaded), loaded.size());  // And EOS.
    loaded.pop_back();
    EXPECT_EQ(loaded, ids);
    EXPECT_EQ(*translator.Detokenize(ids), decoded);
  }
}

TEST(TokenizerProfileTest, ABuildWithoutTheKindRefusesItByName) {
  const TempFolder folder;
  const auto expect = [&folder](const ModelBytes& bytes, const char* kind) {
    const std::filesystem::path path = folder.path() / "model.ltm";
    WriteFileAtomically(path, bytes.bytes());
    const Outcome outcome =
        RunProgram("tests/exact_en_de_profile_program", {path}, "");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.err,
              std::string("The model's tokenizer is ") + kind +
                  ", which profile \"en_de\" of this build leaves out; build "
                  "with a profile for this model (latimer-convert "
                  "--profile).\n");
  };
  expect(BpeModel("bpe_split_digits.spm"), "BPE (SentencePiece)");
  expect(WordModel(), "of words or characters");
  TokenizerData data;
  expect(HuggingFaceModel("t5", &data), "with Metaspace");
  expect(HuggingFaceModel("bart", &data), "byte-level BPE");
  expect(HuggingFaceModel("byt5", &data), "of bytes");
}

}  // namespace latimer::tokenizer_profile_test
