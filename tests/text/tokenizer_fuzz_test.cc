// Random texts and damaged tokenizers neither crash nor read out of bounds;
// meant for the sanitizers.
// Tests runtime/text/tokenize.cc, runtime/text/tokenizer_view.cc,
// runtime/text/text_cut.cc.
#include <gtest/gtest.h>

#include <random>

#include "tests/text/tokenizer_fixture.h"

namespace latimer::tokenizer_fuzz_test {

using Random = std::mt19937;

std::string RandomBytes(Random& random, size_t max_size) {
  std::string text(random() % (max_size + 1), '\0');
  const uint32_t style = random() % 3;
  for (char& c : text) {
    const uint32_t r = random();
    c = static_cast<char>(style == 0   ? r
                          : style == 1 ? " ab<>/s\xE2\x96\x81\xCC\x81'1"[r % 14]
                                       : 0x20 + r % 0x60);
  }
  return text;
}

void Exercise(const TokenizerView& view, const TokenizerScratch& scratch,
              std::string_view text) {
  const Tokenizer tokenizer(view);
  std::vector<int32_t> ids(64);
  const auto count = tokenizer.Encode(text, scratch, ids);
  if (!text.empty()) {
    const TextCut cut = tokenizer.FindCut(text, 64, scratch);
    EXPECT_GT(cut.end, 0u);
    EXPECT_LE(cut.next, text.size());
  }
  if (!count.ok()) return;
  std::vector<char> out(256);
  (void)tokenizer.Decode(std::span(ids).first(*count), out).ok();
}

std::vector<TokenizerData> Tokenizers() {
  std::vector<TokenizerData> all;
  const std::filesystem::path data = SourceDirectory() / "tests" / "data";
  for (const char* folder : {"sentencepiece", "sentencepiece_bpe"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(data / folder)) {
      if (entry.path().extension() != ".spm") continue;
      all.push_back(SentencePieceOnly(entry.path()));
    }
  }
  for (const char* kind : {"lower_words", "characters_without_spaces"}) {
    all.push_back(WordTokenizer(data / "words", kind));
  }
  for (const char* folder : {"bart_prefix_space", "t5", "pegasus", "mbart",
                             "nllb_pairs", "m2m100", "byt5", "gemma"}) {
    all.push_back(
        HuggingFaceTokenizerOf(data / "huggingface_tokenizer" / folder).data);
  }
  return all;
}

TEST(TokenizerFuzzTest, RandomBytesAreTokenizedAndCut) {
  auto buffers = std::make_unique<TokenizerBuffers<1024>>();
  Random random(1);
  std::vector<TokenizerData> all = Tokenizers();
  all.push_back(DemoTokenizerData());
  for (const TokenizerData& data : all) {
    for (int i = 0; i < 1000; ++i) {
      Exercise(data.View(), buffers->Scratch(), RandomBytes(random, 600));
    }
  }
}

// Changes one random byte of one of the vectors.
template <typename T>
bool Damage(Random& random, std::vector<T>& values) {
  if (values.empty()) return false;
  auto* bytes = reinterpret_cast<unsigned char*>(values.data());
  bytes[random() % (values.size() * sizeof(T))] ^=
      static_cast<unsigned char>(1u << (random() % 8));
  return true;
}

TEST(TokenizerFuzzTest, WhateverPassesValidationIsSafeToUse) {
  auto buffers = std::make_unique<TokenizerBuffers<1024>>();
  Random random(2);
  int accepted = 0;
  int refused = 0;
  for (const TokenizerData& good : Tokenizers()) {
    for (int i = 0; i < 2000; ++i) {
      TokenizerData bad = good;
      for (uint32_t n = random() % 3 + 1; n > 0; --n) {
        switch (random() % 16) {
          case 0:
            Damage(random, bad.normalizer_trie);
            break;
          case 1:
            Damage(random, bad.replacements);
            break;
          case 2:
            Damage(random, bad.user_defined_trie);
            break;
          case 3:
            Damage(random, bad.piece_trie);
            break;
          case 4:
            Damage(random, bad.scores);
            break;
          case 5:
            Damage(random, bad.byte_ids);
            break;
          case 6:
            Damage(random, bad.piece_offsets);
            break;
          case 7:
            Damage(random, bad.target_kinds);
            break;
          case 8:
            Damage(random, bad.unused_trie);
            break;
          case 9:
            bad.segmentation = static_cast<Segmentation>(random() % 7);
            break;
          case 10:
            bad.joining = static_cast<Joining>(random() % 7);
            break;
          case 11:
            bad.spacing = static_cast<Spacing>(random() % 5);
            break;
          case 12:
            Damage(random, bad.merges);
            break;
          case 13:
            Damage(random, bad.merge_offsets);
            break;
          case 14:
            Damage(random, bad.character_classes);
            break;
          default:
            Damage(random, bad.added_tokens);
            break;
        }
      }
      const size_t rows = good.target_kinds.size();
      if (!ValidateTokenizer(bad.View(), rows, rows).ok()) {
        ++refused;
        continue;
      }
      ++accepted;
      for (int t = 0; t < 3; ++t) {
        Exercise(bad.View(), buffers->Scratch(), RandomBytes(random, 200));
      }
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace latimer::tokenizer_fuzz_test
