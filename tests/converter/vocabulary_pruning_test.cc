// Pruned tokenizers tokenize all texts without removed tokens like the whole
// ones.
// Tests converter/vocabulary_pruning.cc, converter/token_choice.cc,
// converter/bpe_merges.cc.
#include "converter/vocabulary_pruning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "converter/text_tokenizer.h"
#include "tests/converter/model_folder.h"
#include "tests/text/tokenizer_fixture.h"

namespace latimer::vocabulary_pruning_test {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using Ids = std::vector<int32_t>;

fs::path Data(const char* name) {
  return SourceDirectory() / "tests" / "data" / name;
}

// A model that has only a tokenizer.
CanonicalModel ModelOf(TokenizerData data, bool shared) {
  CanonicalModel model;
  Architecture& a = model.architecture;
  a.source_vocabulary = data.source_vocabulary;
  a.target_vocabulary = static_cast<uint32_t>(data.target_kinds.size());
  if (shared) {  // One matrix, which may have rows that are no token.
    a.source_vocabulary = std::max(a.source_vocabulary, a.target_vocabulary);
    a.target_vocabulary = a.source_vocabulary;
  }
  a.source_embedding_tied = shared;
  a.target_embedding_tied = true;
  model.tokenizer = std::move(data);
  return model;
}

// The texts of a fixture that are made by the tokenizer `name`.
std::vector<std::string> Texts(const fs::path& fixture, const char* key,
                               const std::string& name) {
  std::vector<std::string> texts;
  ForEachLine(fixture, [&](const nlohmann::json& line) {
    if (line[key] != name || !line.contains("text")) return;
    std::string text = FromBase64(line["text"].get<std::string>());
    if (text.size() < 2000) texts.push_back(std::move(text));
  });
  return texts;
}

// Whether a text file can hold it as one line.
bool IsLine(const std::string& text) {
  return !text.empty() && text.find_first_of("\r\n") == text.npos;
}

// -1 for a removed token.
Ids Mapped(const Ids& ids, const std::vector<uint32_t>& kept) {
  Ids mapped;
  for (const int32_t id : ids) {
    const auto at = std::ranges::lower_bound(kept, static_cast<uint32_t>(id));
    const bool found = at != kept.end() && *at == static_cast<uint32_t>(id);
    mapped.push_back(found ? static_cast<int32_t>(at - kept.begin()) : -1);
  }
  return mapped;
}

struct Checked {
  size_t kept_lines = 0;
  size_t other_lines = 0;
  size_t left_out = 0;
};

// Prunes to every third of `texts`, and encodes and decodes all of them.
Checked ExpectSameTokens(const TokenizerData& data, bool shared,
                         const std::vector<std::string>& texts) {
  std::string keep;
  std::set<std::string> kept_texts;
  for (size_t i = 0; i < texts.size(); i += 3) {
    if (!IsLine(texts[i])) continue;
    keep.append(texts[i]).append("\n");
    kept_texts.insert(texts[i]);
  }
  const TempFolder folder;
  WriteFile(folder.path() / "keep.txt", keep);
  CanonicalModel model = ModelOf(data, shared);
  const KeptTokens kept =
      ChooseTokens(model, {.texts = {folder.path() / "keep.txt"}});
  PruneVocabulary(kept, &model);
  EXPECT_EQ(model.architecture.source_vocabulary, kept.source.size());
  EXPECT_EQ(model.architecture.target_vocabulary, kept.target.size());
  if (shared) {
    EXPECT_EQ(kept.source, kept.target);
  }

  OwnedTokenizer whole(data);
  OwnedTokenizer pruned(*model.tokenizer);
  // Without it the source's tokenizer encodes the target's texts too.
  const TokenizerData target_data =
      data.target_text ? data.target_text() : data;
  TextTokenizer target_text(target_data);
  Checked checked{.left_out = data.source_vocabulary - kept.source.size()};
  for (const std::string& text : texts) {
    const Ids before = whole.Encode(text);
    const Ids mapped = Mapped(before, kept.source);
    const bool all_kept = std::ranges::find(mapped, -1) == mapped.end();
    if (kept_texts.contains(text)) {
      EXPECT_TRUE(all_kept) << text;
      ++checked.kept_lines;
    } else if (all_kept) {
      ++checked.other_lines;
    }
    const Ids after = pruned.Encode(text);
    if (all_kept) {
      EXPECT_EQ(after, mapped) << text;
    }
    // As a translation.
    const Ids target = target_text.Encode(text);
    const Ids target_mapped = Mapped(target, kept.target);
    if (std::ranges::find(target_mapped, -1) == target_mapped.end()) {
      EXPECT_EQ(pruned.Decode(target_mapped), whole.Decode(target)) << text;
    } else {
      EXPECT_FALSE(kept_texts.contains(text)) << text;
    }
  }
  return checked;
}

class SentencePiecePruningTest
    : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

INSTANTIATE_TEST_SUITE_P(
    Models, SentencePiecePruningTest,
    ::testing::ValuesIn(std::vector<std::pair<const char*, const char*>>{
        {"sentencepiece", "byte_fallback"},
        {"sentencepiece", "keep_whitespace"},
        {"sentencepiece", "near_ties"},
        {"sentencepiece", "no_dummy_prefix"},
        {"sentencepiece", "suffix_keep"},
        {"sentencepiece", "unescaped"},
        {"sentencepiece", "user_defined"},
        {"sentencepiece", "whitespace_suffix"},
        {"sentencepiece_bpe", "bpe_across_spaces"},
        {"sentencepiece_bpe", "bpe_byte_fallback"},
        {"sentencepiece_bpe", "bpe_keep_whitespace"},
        {"sentencepiece_bpe", "bpe_no_dummy_prefix"},
        {"sentencepiece_bpe", "bpe_split_digits"},
        {"sentencepiece_bpe", "bpe_ties"},
        {"sentencepiece_bpe", "bpe_unused"},
        {"sentencepiece_bpe", "bpe_unused_across_spaces"},
        {"sentencepiece_bpe", "bpe_user_defined"},
        {"sentencepiece_bpe", "bpe_whitespace_suffix"},
        {"sentencepiece_bpe", "char"},
        {"sentencepiece_bpe", "word"}}),
    [](const auto& model) { return std::string(model.param.second); });

TEST_P(SentencePiecePruningTest, KeptTextsHaveTheSameTokens) {
  const auto [folder, name] = GetParam();
  const std::string file = std::string(name) + ".spm";
  const TokenizerData data = SentencePieceOnly(Data(folder) / file);
  const std::vector<std::string> texts =
      Texts(Data(folder) / "fixture.jsonl", "model", file);
  ASSERT_GT(texts.size(), 20u);
  for (const bool shared : {false, true}) {
    const Checked checked = ExpectSameTokens(data, shared, texts);
    EXPECT_GT(checked.kept_lines, 10u);
    EXPECT_GT(checked.left_out, 0u);
  }
}

class HuggingFacePruningTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(
    Folders, HuggingFacePruningTest,
    ::testing::Values("gemma", "m2m100", "mbart", "mbart50_json", "mt5", "nllb",
                      "nllb_json", "nllb_pairs", "pegasus", "t5"),
    [](const auto& folder) { return std::string(folder.param); });

TEST_P(HuggingFacePruningTest, KeptTextsHaveTheSameTokens) {
  const fs::path folder = Data("huggingface_tokenizer") / GetParam();
  const TokenizerData data = HuggingFaceTokenizerOf(folder).data;
  std::vector<std::string> texts;
  ForEachLine(folder / "fixture.jsonl", [&](const nlohmann::json& line) {
    if (!line.contains("text")) return;
    std::string text = FromBase64(line["text"].get<std::string>());
    if (text.size() < 2000) texts.push_back(std::move(text));
  });
  ASSERT_GT(texts.size(), 20u);
  const Checked checked = ExpectSameTokens(data, /*shared=*/true, texts);
  EXPECT_GT(checked.kept_lines, 10u);
  EXPECT_GT(checked.left_out, 0u);
}

TEST(VocabularyPruningTest, BytesAreNotPruned) {
  for (const char* name : {"bart", "byt5"}) {
    const CanonicalModel model = ModelOf(
        HuggingFaceTokenizerOf(Data("huggingface_tokenizer") / name).data,
        /*shared=*/true);
    EXPECT_THAT(ErrorOf([&] { (void)ChooseTokens(model, {.texts = {}}); }),
                HasSubstr("does not support this kind of tokenizer"));
  }
}

TEST(VocabularyPruningTest, WordsAndCharactersStayTheSame) {
  for (const char* kind : {"words", "lower_words", "characters",
                           "lower_characters", "characters_without_spaces"}) {
    const Checked checked =
        ExpectSameTokens(WordTokenizer(Data("words"), kind), false,
                         Texts(Data("words") / "fixture.jsonl", "kind", kind));
    EXPECT_GT(checked.kept_lines, 10u) << kind;
    EXPECT_GT(checked.left_out, 0u) << kind;
  }
}

TEST(VocabularyPruningTest, MarianSidesWithModelsOfTheirOwnStayTheSame) {
  std::vector<std::string> texts;
  for (const char* file : {"test.en", "test.de"}) {
    std::ifstream lines(SourceDirectory() / "examples" / "en-de" / "data" /
                        file);
    size_t count = 0;
    for (std::string line; count < 450 && std::getline(lines, line); ++count) {
      texts.push_back(line);
    }
  }
  const Checked checked = ExpectSameTokens(DemoTokenizerData(), true, texts);
  EXPECT_EQ(checked.kept_lines, 300u);
  EXPECT_GT(checked.other_lines, 50u);
  EXPECT_GT(checked.left_out, 5000u);
}

// The demo tokenizer, pruned to this text.
KeptTokens KeptOfDemo(const std::string& text, CanonicalModel* model) {
  const TempFolder folder;
  WriteFile(folder.path() / "keep.txt", text);
  *model = ModelOf(DemoTokenizerData(), true);
  return ChooseTokens(*model, {.texts = {folder.path() / "keep.txt"}});
}

std::set<std::string> PiecesOf(const CanonicalModel& model,
                               const std::vector<uint32_t>& ids) {
  const TextTokenizer tokenizer(*model.tokenizer);
  std::set<std::string> pieces;
  for (const uint32_t id : ids) pieces.insert(tokenizer.pieces()[id]);
  return pieces;
}

TEST(VocabularyPruningTest, CharactersOfKeptTokensAreKept) {
  CanonicalModel model;
  const KeptTokens kept = KeptOfDemo("Tom was there.\n", &model);
  EXPECT_LT(kept.source.size(), 60u);
  const std::set<std::string> pieces = PiecesOf(model, kept.source);
  EXPECT_THAT(pieces, Contains("\u2581there"));
  for (const char* piece : {"t", "h", "e", "r", "T", ".", "\u2581"}) {
    EXPECT_THAT(pieces, Contains(piece));
  }
  EXPECT_FALSE(pieces.contains("z"));
  // With these, every word of these letters can be spelled.
  PruneVocabulary(kept, &model);
  TextTokenizer tokenizer(*model.tokenizer);
  const int32_t unknown = model.tokenizer->unknown_id;
  EXPECT_THAT(tokenizer.Encode("Tom hates her mate."), Not(Contains(unknown)));
  EXPECT_THAT(tokenizer.Encode("zoo"), Contains(unknown));
}

TEST(VocabularyPruningTest, WhatTheGenerationRulesNameIsKept) {
  const TempFolder folder;
  WriteFile(folder.path() / "keep.txt", "a\n");
  CanonicalModel model = ModelOf(DemoTokenizerData(), false);
  CanonicalGeneration& g = model.generation;
  g.decoder_start = 9000;
  g.eos = 8999;
  g.pad = -1;
  g.forced_eos = 8998;
  g.banned_sequences = {{8990}, {8991, 8992}};
  g.source_prefix = {8001, 8000};
  g.source_suffix = {8002};
  g.source_length = 20;
  g.source_pad = 8003;
  const KeptTokens kept =
      ChooseTokens(model, {.texts = {folder.path() / "keep.txt"}});
  const auto is_kept = [](const std::vector<uint32_t>& ids, uint32_t id) {
    return std::ranges::binary_search(ids, id);
  };
  for (const uint32_t id : {9000u, 8999u, 8998u, 8990u, 8991u, 8992u}) {
    EXPECT_TRUE(is_kept(kept.target, id)) << id;
    EXPECT_FALSE(is_kept(kept.source, id)) << id;
  }
  for (const uint32_t id : {8000u, 8001u, 8002u, 8003u}) {
    EXPECT_TRUE(is_kept(kept.source, id)) << id;
  }
  PruneVocabulary(kept, &model);
  const auto old = [](const std::vector<uint32_t>& ids, int32_t id) {
    return static_cast<int32_t>(ids.at(static_cast<size_t>(id)));
  };
  EXPECT_EQ(old(kept.target, g.decoder_start), 9000);
  EXPECT_EQ(old(kept.target, g.eos), 8999);
  EXPECT_EQ(g.pad, -1);
  EXPECT_EQ(old(kept.target, g.forced_eos), 8998);
  ASSERT_EQ(g.banned_sequences.size(), 2u);
  EXPECT_EQ(old(kept.target, g.banned_sequences[0][0]), 8990);
  EXPECT_EQ(old(kept.target, g.banned_sequences[1][0]), 8991);
  EXPECT_EQ(old(kept.target, g.banned_sequences[1][1]), 8992);
  EXPECT_EQ(old(kept.source, g.source_prefix[0]), 8001);
  EXPECT_EQ(old(kept.source, g.source_prefix[1]), 8000);
  EXPECT_EQ(old(kept.source, g.source_suffix[0]), 8002);
  EXPECT_EQ(old(kept.source, g.source_pad), 8003);
}

TEST(VocabularyPruningTest, LanguagesAndPrefixesOfTasksAreKept) {
  const TempFolder folder;
  WriteFile(folder.path() / "keep.txt", "a\n");
  CanonicalModel model = ModelOf(DemoTokenizerData(), false);
  CanonicalGeneration& g = model.generation;
  g.forced_first = 8988;
  g.languages = {{.token = 8980, .code = "deu"},
                 {.token = 8981, .code = "fra"}};
  g.tasks = {{.max_target_tokens = 0,
              .min_target_tokens = 0,
              .no_repeat_ngram = 0,
              .name = "x",
              .prefix = "Tom was there"}};
  TextTokenizer whole(*model.tokenizer);
  const Ids prefix = whole.Encode("Tom was there");
  const KeptTokens kept =
      ChooseTokens(model, {.texts = {folder.path() / "keep.txt"}});
  PruneVocabulary(kept, &model);
  EXPECT_EQ(kept.source, kept.target);  // A language is one id of both.
  EXPECT_EQ(Mapped({8988, 8980, 8981}, kept.target),
            (Ids{g.forced_first, g.languages[0].token, g.languages[1].token}));
  EXPECT_THAT(Mapped(prefix, kept.source), Not(Contains(-1)));
}

TEST(VocabularyPruningTest, AShortlistKeepsItsListsOfWhatStays) {
  CanonicalModel model;
  Architecture& a = model.architecture;
  a.source_vocabulary = 3;
  a.target_vocabulary = 6;
  model.shortlist = {.first = 2,
                     .copies_source = false,
                     .offsets = {0, 2, 3, 5},
                     .tokens = {3, 4, 5, 2, 3}};
  PruneVocabulary({.source = {0, 2}, .target = {0, 3, 5}}, &model);
  EXPECT_EQ(model.shortlist->first, 1u);
  EXPECT_EQ(model.shortlist->offsets, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(model.shortlist->tokens, (std::vector<uint16_t>{1, 1}));
}

TEST(VocabularyPruningTest, ScriptsKeepTheirTokensAndThoseOfNone) {
  CanonicalModel model = ModelOf(
      SentencePieceOnly(Data("sentencepiece") / "byte_fallback.spm"), false);
  const auto pieces_with = [&](const char* scripts) {
    return PiecesOf(model, ChooseTokens(model, {.scripts = scripts}).source);
  };
  const std::set<std::string> latin = pieces_with("Latn");
  const std::set<std::string> han = pieces_with("Hani");
  EXPECT_GT(latin.size(), han.size() + 50);
  EXPECT_THAT(latin, Contains("a"));
  EXPECT_FALSE(han.contains("a"));
  EXPECT_THAT(pieces_with("Hani,Latn"), ::testing::IsSupersetOf(latin));
  for (const std::set<std::string>& kept : {latin, han}) {
    EXPECT_THAT(kept, Contains("\u2581"));
    EXPECT_THAT(kept, Contains("."));
  }
}

TEST(VocabularyPruningTest, BytesStayWhateverIsLeftOut) {
  CanonicalModel model = ModelOf(
      SentencePieceOnly(Data("sentencepiece") / "byte_fallback.spm"), true);
  OwnedTokenizer whole(*model.tokenizer);
  PruneVocabulary(ChooseTokens(model, {.scripts = "Thai"}), &model);
  OwnedTokenizer pruned(*model.tokenizer);
  const std::string text = "tom said \u5B57 \u0E01!";
  EXPECT_GT(pruned.Encode(text).size(), whole.Encode(text).size());
  EXPECT_EQ(pruned.Decode(pruned.Encode(text)), text);
}

TEST(VocabularyPruningTest, RefusesInOneSentence) {
  CanonicalModel model = ModelOf(DemoTokenizerData(), true);
  EXPECT_THAT(
      ErrorOf([&] { (void)ChooseTokens(model, {.texts = {"no_such.txt"}}); }),
      HasSubstr("no_such.txt"));
  model.tokenizer->segmentation = static_cast<Segmentation>(200);
  EXPECT_THAT(ErrorOf([&] { (void)ChooseTokens(model, {.scripts = "Latn"}); }),
              HasSubstr("does not support this kind of tokenizer"));
  model.tokenizer.reset();
  EXPECT_THAT(ErrorOf([&] { (void)ChooseTokens(model, {.scripts = "Latn"}); }),
              HasSubstr("without the model's tokenizer"));
}

}  // namespace latimer::vocabulary_pruning_test
