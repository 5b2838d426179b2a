// The tokenizer of Hugging Face's Marian models, from its files.
// Tests converter/marian_tokenizer_builder.cc, converter/charsmap.cc,
// converter/readers/tokenizer_config.cc.
#include "converter/marian_tokenizer_builder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "converter/charsmap.h"
#include "converter/error.h"
#include "text/tokenizer.h"

namespace latimer::marian_tokenizer_builder_test {

void ExpectError(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    FAIL() << "no error with '" << part << "'";
  } catch (const ConversionError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
        << error.what();
  }
}

class MarianTokenizerBuilderTest : public testing::Test {
 protected:
  TokenizerData Build() const {
    return BuildMarianTokenizer(
        {model_, model_, vocabulary_, vocabulary_, config_, rows_, rows_});
  }

  SentencePieceModel model_{.name = "source.spm",
                            .pieces = {{"<unk>", 0, PieceType::kUnknown},
                                       {"a", -2, PieceType::kNormal},
                                       {"x", -3, PieceType::kNormal},
                                       {"user", 0, PieceType::kUserDefined},
                                       {"never", -1, PieceType::kUnused},
                                       {"<s>", 0, PieceType::kControl}}};
  Vocabulary vocabulary_{"vocab.json",
                         {"</s>", "<unk>", "a", "user", "<s>", "<pad>"}};
  TokenizerConfig config_{.name = "tokenizer_config.json",
                          .tokens = {{.text = "</s>", .special = true},
                                     {.text = "<unk>", .special = true},
                                     {.text = "<pad>", .special = true}}};
  size_t rows_ = 6;
};

TEST_F(MarianTokenizerBuilderTest, TheResultIsValid) {
  const TokenizerData data = Build();
  const Status status = ValidateTokenizer(data.View(), rows_, rows_);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(data.eos_id, 0);
  EXPECT_EQ(data.unknown_id, 1);
}

TEST_F(MarianTokenizerBuilderTest, ScoresAreThoseOfSentencePiece) {
  const TokenizerData data = Build();
  EXPECT_EQ(data.source_vocabulary, 6u);
  ASSERT_EQ(data.scores.size(), 7u);  // x has no id.
  EXPECT_EQ(data.scores[2], -2);
  EXPECT_EQ(data.scores[3], static_cast<float>(0.1 * 3));
  EXPECT_EQ(data.scores[6], -3);
  EXPECT_EQ(data.unknown_score, -13);
  for (const size_t other : {0, 1, 4, 5}) {
    EXPECT_EQ(data.scores[other], -INFINITY);
  }
}

TEST_F(MarianTokenizerBuilderTest, EachTokenIsDecodedByItsKind) {
  EXPECT_EQ(
      Build().target_kinds,
      (std::vector<TargetKind>{TargetKind::kSpecial, TargetKind::kSpecial,
                               TargetKind::kText, TargetKind::kText,
                               TargetKind::kControl, TargetKind::kSpecial}));
}

TEST_F(MarianTokenizerBuilderTest,
       RowsBeyondTheVocabularyDecodeAsSentencePieces) {
  rows_ = 8;
  const TokenizerData data = Build();
  EXPECT_EQ(data.target_kinds.size(), 8u);
  EXPECT_EQ(data.source_vocabulary, 6u);
  vocabulary_.pieces = {"</s>", "<unk>", "<pad>"};
  rows_ = 5;
  const TokenizerData padded = Build();
  const Tokenizer tokenizer(padded.View());
  EXPECT_EQ(tokenizer.Piece(3), "user");
  EXPECT_EQ(tokenizer.Piece(4), "never");
}

TEST_F(MarianTokenizerBuilderTest, TheVocabularyFitsTheModel) {
  rows_ = 5;
  ExpectError([&] { Build(); }, "has 6 pieces, more than the 5 rows");
}

TEST_F(MarianTokenizerBuilderTest, SpecialTokensAreInTheVocabulary) {
  vocabulary_.pieces[0] = "eos";
  ExpectError([&] { Build(); }, "vocab.json: has no '</s>'");
  config_.eos = "eos";
  EXPECT_EQ(Build().eos_id, 0);
  vocabulary_.pieces[5] = "p";
  ExpectError([&] { Build(); }, "has no '<pad>'");
}

TEST_F(MarianTokenizerBuilderTest, AddedTokensAgreeWithTheVocabulary) {
  config_.tokens.push_back({.text = "a", .id = 3});
  ExpectError([&] { Build(); }, "token 'a' has the id 3");
  config_.tokens.back() = {.text = "new", .id = 6};
  rows_ = 7;
  EXPECT_EQ(Build().added_tokens.front().id, 6);
  config_.tokens.back().id = 9;
  ExpectError([&] { Build(); }, "the next free one is 6");
}

TEST_F(MarianTokenizerBuilderTest, AnAddedTokenWithoutARowIsLeftOut) {
  config_.tokens.push_back({.text = "new"});
  EXPECT_EQ(Build().added_tokens.size(), 3u);
}

TEST_F(MarianTokenizerBuilderTest, DamagedRulesAreAnError) {
  for (const std::string& rules :
       {std::string("abc"), std::string("\xFF\xFF\xFF\xFFzzzzzz"),
        std::string("\4\0\0\0\0\0\0\0", 8), std::string(400, '\1')}) {
    model_.precompiled_charsmap = rules;
    ExpectError([&] { Build(); }, "source.spm: its normalization rules");
  }
}

TEST_F(MarianTokenizerBuilderTest, DamagedRulesNeverCrash) {
  std::ifstream file(std::string(LATIMER_SOURCE_DIR) +
                         "/tests/data/sentencepiece/byte_fallback.spm",
                     std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::string good =
      ParseSentencePieceModel(bytes, "x.spm").precompiled_charsmap;
  ASSERT_GT(DecodeCharsmap(good, "x").size(), 10u);
  for (size_t i = 0; i < good.size(); ++i) {
    for (const int bit : {0, 3, 6, 7}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      try {
        DecodeCharsmap(bad, "x");
      } catch (const ConversionError&) {
      }
    }
  }
}

class TokenizerConfigTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const char* name, const char* text) {
    std::ofstream(folder_ / name) << text;
  }
  TokenizerConfig Read() { return ReadTokenizerConfig(folder_); }

  std::filesystem::path folder_;
};

TEST_F(TokenizerConfigTest, WithoutFilesItIsMarians) {
  const TokenizerConfig config = Read();
  EXPECT_EQ(config.eos, "</s>");
  EXPECT_FALSE(config.separate_vocabularies);
  ASSERT_EQ(config.tokens.size(), 3u);
  EXPECT_EQ(config.tokens[0].text, "</s>");
  EXPECT_EQ(config.tokens[1].text, "<unk>");
  EXPECT_EQ(config.tokens[2].text, "<pad>");
  EXPECT_TRUE(config.tokens[2].special);
}

TEST_F(TokenizerConfigTest, OlderFilesAreReadToo) {
  Write("tokenizer_config.json", R"({"source_lang": "en"})");
  Write("special_tokens_map.json",
        R"({"eos_token": {"content": "<e>", "lstrip": true}})");
  Write("added_tokens.json", R"({"<n>": 7})");
  const TokenizerConfig config = Read();
  EXPECT_EQ(config.eos, "<e>");
  ASSERT_EQ(config.tokens.size(), 4u);
  EXPECT_EQ(config.tokens[0].text, "<n>");
  EXPECT_EQ(config.tokens[0].id, 7);
  EXPECT_FALSE(config.tokens[0].special);
  EXPECT_TRUE(config.tokens[1].strips_space_before);
}

TEST_F(TokenizerConfigTest, WhatIsNotSupportedIsNamed) {
  Write("tokenizer_config.json", "nonsense");
  ExpectError([&] { Read(); }, "tokenizer_config.json: not a JSON object");
  Write("tokenizer_config.json", R"({"split_special_tokens": true})");
  ExpectError([&] { Read(); }, "split_special_tokens");
  Write("tokenizer_config.json",
        R"({"eos_token": {"content": "</s>", "single_word": true}})");
  ExpectError([&] { Read(); }, "single_word");
  Write("tokenizer_config.json", R"({"separate_vocabs": 1})");
  ExpectError([&] { Read(); }, "separate_vocabs");
  Write("tokenizer_config.json", R"({"added_tokens_decoder": {"x": "a"}})");
  ExpectError([&] { Read(); }, "'x' is not a number");
}

// Of 6 kB: five levels, each of whose nodes has the same 255 children.
TEST_F(MarianTokenizerBuilderTest, ASmallFileGivesNoGigabytesOfRules) {
  std::vector<uint32_t> units(256 * 6);
  uint32_t base = 0;
  const auto set = [&](uint32_t index, uint32_t label, uint32_t children) {
    units[index] = label | 0x100 | (index ^ children) << 10;
  };
  // The root's children are at units[1 .. 255], those of all of these at 256,
  // and so on; the leaf of a node is at the base of its children.
  for (uint32_t level = 0; level < 5; ++level, base += 256) {
    for (uint32_t label = 1; label < 256; ++label) {
      set(base + label, label, base + 256);
    }
  }
  std::string rules;
  const auto add = [&](uint32_t value) {
    for (int i = 0; i < 4; ++i) rules += static_cast<char>(value >> (8 * i));
  };
  add(static_cast<uint32_t>(4 * units.size()));
  for (const uint32_t unit : units) add(unit);
  rules += std::string(kMaxReplacementBytes, 'x') + '\0';
  const auto peak = [] {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const auto before = peak();
  ExpectError([&] { (void)DecodeCharsmap(rules, "x.spm"); },
              "x.spm: its normalization rules are damaged");
  EXPECT_LT(peak() - before, 300'000);  // In KiB; without a bound 1.5 GB.
}

}  // namespace latimer::marian_tokenizer_builder_test
