// Folders of native Marian models: which files they have, and what they lack.
// Tests converter/readers/native_marian.cc,
// converter/readers/native_marian_files.cc,
// converter/readers/native_marian_vocabulary.cc,
// converter/readers/metadata.cc,
// converter/readers/open_model.cc.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/input_file.h"
#include "converter/model_writer.h"
#include "converter/readers/native_marian_files.h"
#include "converter/readers/open_model.h"
#include "tests/converter/compressed_bytes.h"
#include "tests/converter/model_folder.h"

namespace latimer::native_marian_test {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

fs::path NativeModel(const std::string& name) {
  return fs::path(LATIMER_SOURCE_DIR) / "tests" / "data" / "tiny_native" / name;
}

// A copy that a test changes.
class NativeCopy {
 public:
  explicit NativeCopy(const std::string& name) {
    fs::copy(NativeModel(name), path());
  }

  const fs::path& path() const { return folder_.path(); }
  fs::path operator/(const std::string& name) const { return path() / name; }

  void Replace(const std::string& file, const std::string& from,
               const std::string& to) {
    std::string bytes = ReadFile(path() / file);
    const size_t at = bytes.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    bytes.replace(at, from.size(), to);
    WriteFile(path() / file, bytes);
  }

  std::string Error(const fs::path& given) const {
    const std::string message =
        ErrorOf([&] { ReadNativeMarian(given, /*with_tokenizer=*/false); });
    EXPECT_EQ(message.back(), '.') << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  std::string Error() const { return Error(path()); }

 private:
  TempFolder folder_;
};

CanonicalModel Read(const fs::path& path) {
  return OpenModel(path, /*with_tokenizer=*/false);
}

TEST(NativeMarianTest, TakesTheFolderItsWeightsOrItsDecoderYml) {
  for (const char* given : {"", "model.npz", "decoder.yml"}) {
    const CanonicalModel model = Read(NativeModel("ssru") / given);
    EXPECT_EQ(model.architecture.network_kind, NetworkKind::kTransformerSsru)
        << given;
    EXPECT_EQ(model.source, "ssru/model.npz");
  }
  EXPECT_EQ(Read(NativeModel("student") / "model.xxyy.intgemm.alphas.bin")
                .architecture.d_model,
            24u);
}

TEST(NativeMarianTest, FindsADecoderYmlOfAnyName) {
  NativeCopy copy("ssru");
  fs::rename(copy / "decoder.yml", copy / "model.npz.decoder.yml");
  EXPECT_TRUE(FindNativeMarianFiles(copy.path()).decoder_options.has_value());
  EXPECT_TRUE(
      FindNativeMarianFiles(copy / "model.npz").decoder_options.has_value());
  fs::copy(copy / "model.npz.decoder.yml", copy / "b.npz.decoder.yml");
  EXPECT_THAT(copy.Error(), AllOf(HasSubstr("b.npz.decoder.yml and model.npz"),
                                  HasSubstr("give one of them")));
}

TEST(NativeMarianTest, FindsTheFilesOfAStudent) {
  NativeCopy copy("student");
  WriteFile(copy / "lex.50.50.xxyy.s2t.bin", "x");
  EXPECT_THAT(FindNativeMarianFiles(copy.path()).vocabularies,
              ElementsAre(copy / "vocab.xxyy.spm", copy / "vocab.xxyy.spm"));
  WriteFile(copy / "srcvocab.xxyy.spm", "x");
  WriteFile(copy / "trgvocab.xxyy.spm", "x");
  EXPECT_THAT(
      FindNativeMarianFiles(copy.path()).vocabularies,
      ElementsAre(copy / "srcvocab.xxyy.spm", copy / "trgvocab.xxyy.spm"));
}

// As browsermt's students have it.
TEST(NativeMarianTest, ADecoderYmlOfAnyNameListsModels) {
  const std::string config =
      "relative-paths: true\nmodels:\n  - model.xxyy.intgemm.alphas.bin\n"
      "vocabs:\n  - vocab.xxyy.spm\n  - vocab.xxyy.spm\n"
      "shortlist:\n    - lex.50.50.xxyy.s2t.bin\n    - false\n";
  NativeCopy copy("student_shortlist");
  WriteFile(copy / "config.intgemm8bitalpha.yml", config);
  for (const char* given :
       {"", "config.intgemm8bitalpha.yml", "model.xxyy.intgemm.alphas.bin"}) {
    const NativeMarianFiles files = FindNativeMarianFiles(copy / given);
    EXPECT_TRUE(files.decoder_options.has_value()) << given;
    EXPECT_EQ(files.shortlist.filename(), "lex.50.50.xxyy.s2t.bin");
    EXPECT_THAT(files.warnings, IsEmpty());
    EXPECT_TRUE(IsNativeMarian(copy / given));
  }
  // Words of a vocabulary are none.
  WriteFile(copy / "words.yml", "models: 17\n\"a\nb\": 18\n");
  EXPECT_TRUE(FindNativeMarianFiles(copy.path()).decoder_options.has_value());
  EXPECT_FALSE(IsNativeMarian(copy / "words.yml"));
  // One of another model is not.
  copy.Replace("config.intgemm8bitalpha.yml", "model.xxyy", "other.xxyy");
  const NativeMarianFiles files =
      FindNativeMarianFiles(copy / "model.xxyy.intgemm.alphas.bin");
  EXPECT_FALSE(files.decoder_options.has_value());
  EXPECT_THAT(files.warnings,
              ElementsAre(HasSubstr("alpha.yml: lists models, but is not")));
  WriteFile(copy / "config.yml", config);
  EXPECT_THAT(copy.Error(),
              HasSubstr("has several decoder.yml, config.intgemm8bitalpha.yml "
                        "and config.yml; give one of them instead"));
}

TEST(NativeMarianTest, SaysWhichShortlistIsNotUsed) {
  NativeCopy copy("student_shortlist");
  fs::rename(copy / "lex.50.50.xxyy.s2t.bin", copy / "lex.s2t.gz");
  EXPECT_THAT(Read(copy.path()).warnings,
              ElementsAre(AllOf(
                  HasSubstr("lex.s2t.gz: may be a shortlist, but is not used"),
                  HasSubstr("(shortlist: [lex.s2t.gz, 50, 50])"))));
}

// As in mozilla/firefox-translations-models.
TEST(NativeMarianTest, AModelOfQualityIsNoModel) {
  NativeCopy copy("student_shortlist");
  WriteFile(copy / "qualityModel.xxyy.bin", "x");
  const CanonicalModel model = Read(copy.path());
  EXPECT_TRUE(model.shortlist.has_value());
  EXPECT_THAT(model.warnings, IsEmpty());
  WriteFile(copy / "vocab.xxyy.spm", "version https://git-lfs.github.com/spec");
  EXPECT_THAT(copy.Error(), HasSubstr("vocab.xxyy.spm: is a Git LFS pointer"));
}

// The bytes of the file that it converts into.
std::string Converted(const fs::path& path) {
  CanonicalModel model = OpenModel(path, /*with_tokenizer=*/true);
  model.source = "";  // The name of the folder.
  const ModelBytes file = WriteModel(model, {.progress = {}});
  return std::string(AsText(file.bytes()));
}

TEST(NativeMarianTest, FilesAreReadAsTheyAreDownloaded) {
  const std::pair<const char*, std::vector<std::string>> models[] = {
      {"student_shortlist",
       {"model.xxyy.intgemm.alphas.bin", "vocab.xxyy.spm",
        "lex.50.50.xxyy.s2t.bin"}},
      {"student_separate",
       {"model.xxyy.intgemm.alphas.bin", "srcvocab.xxyy.spm",
        "trgvocab.xxyy.spm"}},
      {"ssru_prenorm", {"vocab.source.yml"}}};
  for (const auto& [name, files] : models) {
    for (const auto& [suffix, pack] :
         {std::pair(".gz", &GzipBytes), std::pair(".zst", &ZstandardBytes)}) {
      NativeCopy copy(name);
      for (const std::string& file : files) {
        WriteFile(copy / (file + suffix), pack(ReadFile(copy / file)));
        fs::remove(copy / file);
      }
      const std::string whole = Converted(NativeModel(name));
      EXPECT_EQ(Converted(copy.path()), whole) << name << suffix;
      if (files.front().starts_with("model.")) {
        EXPECT_EQ(Converted(copy / (files.front() + suffix)), whole);
      }
      // What is there unpacked, too, is not one more.
      for (const std::string& file : files) {
        fs::copy(NativeModel(name) / file, copy / file);
      }
      EXPECT_EQ(Converted(copy.path()), whole) << name << suffix;
    }
  }
}

TEST(NativeMarianTest, AModelSaysWhatItsMetadataSays) {
  NativeCopy copy("student");
  WriteFile(copy / "metadata.json",
            R"({"sourceLanguage": "en", "targetLanguage": "pt", "version": 1.5,
                "architecture": "tiny", "license": "MPL-2.0",
                "flores": {"bleu": 49.4, "comet": 0.8895, "x": []}})");
  const CanonicalModel model = Read(copy.path());
  EXPECT_EQ(model.version, "en-pt tiny 1.5");
  EXPECT_EQ(model.scores, "FLORES: BLEU 49.4, COMET 0.8895");
  EXPECT_EQ(model.license, "MPL-2.0");
  WriteFile(copy / "LICENSE", "Its own.");
  WriteFile(copy / "metadata.json",
            R"({"flores": {"comet": 0.9, "bleu": null}, "version": ["1"]})");
  EXPECT_EQ(Read(copy.path()).version, "");
  EXPECT_EQ(Read(copy.path()).scores, "FLORES: COMET 0.9");
  EXPECT_EQ(Read(copy.path()).license, "Its own.");
  WriteFile(copy / "metadata.json", R"({"flores": 1})");
  EXPECT_EQ(Read(copy.path()).scores, "");
  WriteFile(copy / "metadata.json", "{");
  EXPECT_THAT(copy.Error(), HasSubstr("metadata.json: not a JSON object"));
}

TEST(NativeMarianTest, FindsFilesOfAnotherMachineBesideDecoderYml) {
  NativeCopy copy("ssru");
  copy.Replace("decoder.yml", "relative-paths: true", "relative-paths: false");
  copy.Replace("decoder.yml", "- model.npz", "- /home/them/model.npz");
  EXPECT_EQ(Read(copy.path()).architecture.d_model, 24u);
  copy.Replace("decoder.yml", "them/model.npz", "them/other.npz");
  EXPECT_THAT(copy.Error(),
              HasSubstr("names /home/them/other.npz, which is missing"));
}

TEST(NativeMarianTest, SaysWhatAFolderLacks) {
  TempFolder empty;
  EXPECT_THAT(ErrorOf([&] { ReadNativeMarian(empty.path(), false); }),
              HasSubstr("has neither a .npz nor a .bin"));
  NativeCopy copy("ssru");
  fs::remove(copy / "decoder.yml");
  fs::copy(copy / "model.npz", copy / "second.npz");
  EXPECT_THAT(copy.Error(), HasSubstr("several models, model.npz and second"));
  EXPECT_THAT(copy.Error(copy / "second.npz"),
              AllOf(HasSubstr("vocab.source.yml and vocab.target.yml"),
                    HasSubstr("decoder.yml")));
  fs::remove(copy / "vocab.source.yml");
  EXPECT_EQ(Read(copy / "second.npz").architecture.d_model, 24u);
}

TEST(NativeMarianTest, RefusesSeveralModelsThatVote) {
  NativeCopy copy("ssru");
  copy.Replace("decoder.yml", "- model.npz", "- model.npz\n- model2.npz");
  EXPECT_THAT(copy.Error(), HasSubstr("models is [model.npz, model2.npz]; "));
  EXPECT_NO_THROW(Read(copy / "model.npz"));
}

TEST(NativeMarianTest, HasMariansGenerationRules) {
  NativeCopy copy("ssru");
  CanonicalGeneration g = Read(copy.path()).generation;
  EXPECT_EQ(g.decoder_start, -1);
  EXPECT_EQ(g.pad, -1);
  EXPECT_EQ(g.eos, 0);
  EXPECT_THAT(g.source_suffix, ElementsAre(0));
  EXPECT_THAT(g.banned_sequences, ElementsAre(ElementsAre(1)));
  EXPECT_EQ(g.max_target_tokens, 512u);
  copy.Replace("decoder.yml", "beam-size: 6",
               "allow-unk: true\nmax-length: 50");
  const CanonicalModel model = Read(copy.path());
  EXPECT_THAT(model.generation.banned_sequences, IsEmpty());
  EXPECT_EQ(model.generation.max_target_tokens, 50u);
  EXPECT_EQ(model.tables.at("source_positions").size(), 50u * 24);
  copy.Replace("decoder.yml", "max-length: 50", "max-length: 2000000000");
  const CanonicalModel longest = Read(copy.path());
  EXPECT_EQ(longest.architecture.source_positions, 1024u);
  EXPECT_THAT(longest.warnings, ElementsAre(HasSubstr("max-length")));
}

TEST(NativeMarianTest, TakesSpecialIdsFromTheVocabulary) {
  NativeCopy copy("ssru");
  copy.Replace("vocab.target.yml", "\"</s>\": 0", "\"t0\": 0");
  copy.Replace("vocab.target.yml", "\"t7\": 7", "\"</s>\": 7");
  copy.Replace("vocab.source.yml", "\"<unk>\": 1", "\"UNK\": 1");
  const CanonicalGeneration g = Read(copy.path()).generation;
  EXPECT_EQ(g.eos, 7);
  EXPECT_THAT(g.source_suffix, ElementsAre(0));
  copy.Replace("vocab.target.yml", "</s>", "gone");
  EXPECT_THAT(copy.Error(), HasSubstr("vocab.target.yml: has no </s>."));
}

TEST(NativeMarianTest, NeverProducesControlCharacters) {
  NativeCopy copy("ssru");
  copy.Replace("vocab.target.yml", "\"t9\": 9", "\"<0x0A>\": 9");
  EXPECT_THAT(Read(copy.path()).generation.banned_sequences,
              ElementsAre(ElementsAre(1), ElementsAre(9)));
  copy.Replace("decoder.yml", "beam-size: 6", "allow-special: true");
  EXPECT_THAT(Read(copy.path()).generation.banned_sequences,
              ElementsAre(ElementsAre(1)));
}

TEST(NativeMarianTest, RefusesAVocabularyOfAnotherSize) {
  NativeCopy copy("ssru");
  copy.Replace("vocab.source.yml", "\"s89\": 89\n", "");
  EXPECT_THAT(copy.Error(), AllOf(HasSubstr("vocab.source.yml: has 89 entries"),
                                  HasSubstr("90 rows")));
}

TEST(NativeMarianTest, WarnsWithoutAVocabulary) {
  NativeCopy copy("student");
  fs::remove(copy / "vocab.xxyy.spm");
  EXPECT_THAT(Read(copy.path()).warnings,
              Contains(HasSubstr("no vocabulary was found")));
  EXPECT_THAT(
      ErrorOf([&] { ReadNativeMarian(copy.path(), /*with_tokenizer=*/true); }),
      HasSubstr("--no-tokenizer"));
}

TEST(NativeMarianTest, ReadsOpusMtsPiecesBesideAYmlVocabulary) {
  NativeCopy copy("ssru");
  const std::string pieces =
      ReadFile(NativeModel("student") / "vocab.xxyy.spm");
  WriteFile(copy / "source.spm", pieces);
  EXPECT_THAT(FindNativeMarianFiles(copy.path()).pieces, IsEmpty());
  WriteFile(copy / "target.spm", pieces);
  EXPECT_THAT(FindNativeMarianFiles(copy.path()).pieces,
              ElementsAre(copy / "source.spm", copy / "target.spm"));
  EXPECT_TRUE(ReadNativeMarian(copy.path(), true).tokenizer.has_value());
}

TEST(NativeMarianTest, CodesOfAVocabularyAreLanguages) {
  NativeCopy copy("ssru");
  copy.Replace("vocab.source.yml", "\"s9\":", "\">>deu<<\":");
  // Of words that a text is split into at spaces a code is one like others.
  EXPECT_TRUE(OpenModel(copy.path(), true).generation.languages.empty());
  const std::string pieces =
      ReadFile(NativeModel("student") / "vocab.xxyy.spm");
  WriteFile(copy / "source.spm", pieces);
  WriteFile(copy / "target.spm", pieces);
  const CanonicalGeneration g = OpenModel(copy.path(), true).generation;
  ASSERT_EQ(g.languages.size(), 1u);
  EXPECT_STREQ(g.languages[0].code, "deu");
  EXPECT_EQ(g.target_language, TargetLanguage::kTextsCode);
}

TEST(NativeMarianTest, SeveralShortlistsNeedADecoderYml) {
  NativeCopy copy("student_shortlist");
  EXPECT_TRUE(Read(copy.path()).shortlist.has_value());
  fs::copy(copy / "lex.50.50.xxyy.s2t.bin", copy / "lex.other.s2t.bin");
  EXPECT_THAT(copy.Error(),
              AllOf(HasSubstr("has several shortlists, lex.50.50.xxyy.s2t.bin "
                              "and lex.other.s2t.bin"),
                    HasSubstr("name those of the model in decoder.yml")));
}

TEST(NativeMarianTest, FindsTheShortlist) {
  const CanonicalModel student = Read(NativeModel("student_shortlist"));
  ASSERT_TRUE(student.shortlist.has_value());
  EXPECT_EQ(student.shortlist->first, 3u);
  EXPECT_TRUE(student.shortlist->copies_source);
  EXPECT_EQ(student.shortlist->offsets.size(), 91u);

  NativeCopy copy("ssru");
  WriteFile(copy / "lex.s2t", "t5 s7 0.5\nt6 s7 0.4\nt9 what 0.2\n");
  EXPECT_FALSE(Read(copy.path()).shortlist.has_value());
  copy.Replace("decoder.yml", "beam-size: 6", "shortlist: [lex.s2t, 10, 1]");
  const CanonicalShortlist list = Read(copy.path()).shortlist.value();
  EXPECT_EQ(list.first, 10u);
  EXPECT_FALSE(list.copies_source);
  EXPECT_THAT(list.tokens, ElementsAre(9, 5));  // Of <unk> and of s7.
  copy.Replace("decoder.yml", "10, 1]", "ten]");
  EXPECT_THAT(copy.Error(), HasSubstr("shortlist is [lex.s2t, ten]; "));
}

TEST(NativeMarianTest, SaysThatSubwordNmtIsNotApplied) {
  NativeCopy copy("ssru");
  EXPECT_THAT(ReadNativeMarian(copy.path(), true).warnings, IsEmpty());
  WriteFile(copy / "source.bpe", "#version: 0.2");
  EXPECT_THAT(ReadNativeMarian(copy.path(), true).warnings,
              ElementsAre(HasSubstr("source.bpe")));
}

// The .bin has the options as text; changing one letter of a name hides an
// option.
TEST(NativeMarianTest, NamesTensorsThatDisagreeWithTheOptions) {
  NativeCopy copy("tied_source");
  copy.Replace("model.bin", "output-omit-bias: true", "output-omit-bias: fals");
  EXPECT_THAT(copy.Error(), HasSubstr("output-omit-bias is \"fals\""));
  copy.Replace("model.bin", "output-omit-bias: fals", "output-omit-bibs: true");
  EXPECT_THAT(copy.Error(),
              HasSubstr("missing tensors: decoder_ff_logit_out_b"));
  copy.Replace("model.bin", "output-omit-bibs", "output-omit-bias");
  copy.Replace("model.bin", "transformer-dim-ffn: 32",
               "transformer-dim-ffn: 23");
  EXPECT_THAT(
      copy.Error(),
      AllOf(HasSubstr("encoder_l1_ffn_W1 [32, 24] instead of [23, 24]"),
            HasSubstr("encoder_l1_ffn_W2 [24, 32] instead of [24, 23] and 4 "
                      "more")));
  copy.Replace("model.bin", "transformer-dim-ffn: 23",
               "transformer-dim-ffn: 32");
  copy.Replace("model.bin", "enc-depth: 2", "enc-depth: 1");
  EXPECT_THAT(copy.Error(), HasSubstr("unexpected tensors: encoder_l2_"));
}

TEST(NativeMarianTest, RefusesWeightsWithoutOptions) {
  NativeCopy copy("tied_source");
  copy.Replace("model.bin", "special:model.yml", "special:nodel.yml");
  EXPECT_THAT(copy.Error(), HasSubstr("holds no special:model.yml"));
}

TEST(NativeMarianTest, TellsFoldersApart) {
  EXPECT_TRUE(IsNativeMarian(NativeModel("ssru")));
  EXPECT_TRUE(IsNativeMarian(NativeModel("student")));
  TempFolder folder;
  EXPECT_FALSE(IsNativeMarian(folder.path()));
  WriteFile(folder.path() / "pytorch_model.bin", "x");
  WriteFile(folder.path() / "lex.s2t.bin", "x");
  WriteFile(folder.path() / "model.npz.optimizer.npz", "x");
  EXPECT_FALSE(IsNativeMarian(folder.path()));
}

}  // namespace latimer::native_marian_test
