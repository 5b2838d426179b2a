// The languages of a multilingual model, and a direction that is chosen.
// Tests converter/readers/languages.cc.
#include "converter/readers/languages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/converter/model_folder.h"

namespace latimer::languages_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Codes(const CanonicalGeneration& g) {
  std::vector<std::string> codes;
  for (const Language& language : g.languages) codes.push_back(language.code);
  return codes;
}

TEST(LanguagesTest, TokensOfEachFamilyAreKnown) {
  CanonicalGeneration nllb;
  AddLanguages(TokenizerClass::kNllb, false,
               {{"zho_Hans", 9}, {"eng_Latn", 7}, {"<mask>", 8}, {"en_XX", 5}},
               &nllb);
  EXPECT_THAT(Codes(nllb), ElementsAre("eng_Latn", "zho_Hans"));
  EXPECT_EQ(nllb.languages[0].token, 7);
  EXPECT_EQ(nllb.source_language, SourceLanguage::kBeforeText);
  EXPECT_EQ(nllb.target_language, TargetLanguage::kForcedFirst);
  CanonicalGeneration m2m100;
  AddLanguages(TokenizerClass::kM2m100, false,
               {{"__zh__", 9}, {"__ast__", 7}, {"__", 3}, {"zh", 4}}, &m2m100);
  EXPECT_THAT(Codes(m2m100), ElementsAre("ast", "zh"));
  CanonicalGeneration mbart;
  AddLanguages(TokenizerClass::kMBart, false, {{"ro_RO", 9}, {"en_XX", 7}},
               &mbart);
  EXPECT_THAT(Codes(mbart), ElementsAre("en_XX", "ro_RO"));
  EXPECT_EQ(mbart.source_language, SourceLanguage::kAfterSuffix);
  EXPECT_EQ(mbart.target_language, TargetLanguage::kDecoderStart);
}

TEST(LanguagesTest, OldNllbHasTheSourceBehindEos) {
  CanonicalGeneration nllb;
  AddLanguages(TokenizerClass::kNllb, true, {{"eng_Latn", 7}}, &nllb);
  EXPECT_EQ(nllb.source_language, SourceLanguage::kAfterSuffix);
  EXPECT_EQ(nllb.target_language, TargetLanguage::kForcedFirst);
}

TEST(LanguagesTest, OfSomeFamiliesTheTargetStandsInTheSource) {
  CanonicalGeneration madlad;
  AddLanguages(TokenizerClass::kT5, false,
               {{"<2de>", 9},
                {"<2zh_Hant>", 7},
                {"<2translit>", 3},
                {"<2>", 4},
                {"<extra_id_0>", 5},
                {"<2De>", 6}},
               &madlad);
  EXPECT_THAT(Codes(madlad), ElementsAre("de", "zh_Hant"));
  EXPECT_EQ(madlad.source_language, SourceLanguage::kNone);
  EXPECT_EQ(madlad.target_language, TargetLanguage::kBeforeText);
  CanonicalGeneration small100;
  AddLanguages(TokenizerClass::kSmall100, false, {{"__de__", 9}}, &small100);
  EXPECT_THAT(Codes(small100), ElementsAre("de"));
  EXPECT_EQ(small100.source_language, SourceLanguage::kNone);
  EXPECT_EQ(small100.target_language, TargetLanguage::kBeforeText);
  CanonicalGeneration indic;
  AddLanguages(TokenizerClass::kIndicTrans, false,
               {{"hin_Deva", 9}, {"eng_Latn", 7}, {"<unk>", 3}}, &indic);
  EXPECT_THAT(Codes(indic), ElementsAre("eng_Latn", "hin_Deva"));
  EXPECT_EQ(indic.source_language, SourceLanguage::kBeforeText);
  EXPECT_EQ(indic.target_language, TargetLanguage::kBeforeText);
  ChooseLanguages("eng_Latn", "hin_Deva", &indic);
  EXPECT_THAT(indic.source_prefix, ElementsAre(7, 9));
  CanonicalGeneration marian;
  const std::vector<std::string> pieces = {"</s>",   ">>eng<<", ">>",
                                           "<<",     ">><<",    ">>cmn_Hans<<",
                                           "a>>b<<", ">>x<<y",  ">>\x01<<"};
  AddMarianLanguages(pieces, &marian);
  EXPECT_THAT(Codes(marian), ElementsAre("cmn_Hans", "eng"));
  EXPECT_EQ(marian.languages[1].token, 1);
  EXPECT_EQ(marian.source_language, SourceLanguage::kNone);
  EXPECT_EQ(marian.target_language, TargetLanguage::kTextsCode);
}

TEST(LanguagesTest, ATargetInTheSourceIsChosenAlone) {
  for (const char* source : {"", "en"}) {
    CanonicalGeneration g;
    AddLanguages(TokenizerClass::kT5, false, {{"<2de>", 9}, {"<2en>", 7}}, &g);
    ChooseLanguages(source, "de", &g);
    EXPECT_THAT(g.source_prefix, ElementsAre(9));
    EXPECT_EQ(g.forced_first, -1);
    EXPECT_TRUE(g.languages.empty());
    EXPECT_EQ(g.target_language, TargetLanguage::kNone);
  }
}

TEST(LanguagesTest, AModelWithoutSuchTokensHasNone) {
  CanonicalGeneration g;
  AddLanguages(TokenizerClass::kNllb, false, {{"</s>", 2}}, &g);
  EXPECT_TRUE(g.languages.empty());
  EXPECT_EQ(g.target_language, TargetLanguage::kNone);
}

TEST(LanguagesTest, AChosenDirectionBecomesRules) {
  CanonicalGeneration g;
  g.source_suffix = {2};
  CanonicalGeneration mbart = g;
  AddLanguages(TokenizerClass::kMBart50, false, {{"ro_RO", 9}, {"en_XX", 7}},
               &g);
  AddLanguages(TokenizerClass::kMBart, false, {{"ro_RO", 9}, {"en_XX", 7}},
               &mbart);
  ChooseLanguages("en_XX", "ro_RO", &g);
  EXPECT_THAT(g.source_prefix, ElementsAre(7));
  EXPECT_THAT(g.source_suffix, ElementsAre(2));
  EXPECT_EQ(g.forced_first, 9);
  EXPECT_TRUE(g.languages.empty());
  ChooseLanguages("en_XX", "ro_RO", &mbart);
  EXPECT_THAT(mbart.source_suffix, ElementsAre(2, 7));
  EXPECT_EQ(mbart.decoder_start, 9);
  EXPECT_EQ(mbart.forced_first, -1);
}

TEST(LanguagesTest, AnUnknownCodeListsThoseThatExist) {
  CanonicalGeneration g;
  AddLanguages(TokenizerClass::kMBart50, false, {{"ro_RO", 9}, {"en_XX", 7}},
               &g);
  EXPECT_EQ(ErrorOf([&] { ChooseLanguages("en_XX", "de", &g); }),
            "--target-lang de: the model has en_XX, ro_RO.");
  EXPECT_THAT(ErrorOf([&] { ChooseLanguages("en_XX", "", &g); }),
              HasSubstr("give both or neither"));
}

}  // namespace latimer::languages_test
