// SentencePiece's model files, whole and damaged.
// Tests converter/readers/sentencepiece_model.cc.
#include "converter/readers/sentencepiece_model.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>

#include "converter/error.h"
#include "tests/base/growth.h"

namespace latimer::sentencepiece_model_test {

// A protocol buffer field with bytes in it.
std::string Field(int number, const std::string& bytes) {
  std::string field(1, static_cast<char>(number << 3 | 2));
  if (number > 15) {
    field = {static_cast<char>((number << 3 & 0x7F) | 0x82),
             static_cast<char>(number >> 4)};
  }
  return field + static_cast<char>(bytes.size()) + bytes;
}

// A field with a number below 128.
std::string Number(int number, int value) {
  std::string field(1, static_cast<char>(number << 3));
  if (number > 15) {
    field = {static_cast<char>((number << 3 & 0x7F) | 0x80),
             static_cast<char>(number >> 4)};
  }
  return field + static_cast<char>(value);
}

std::string Piece(const std::string& text, int type, float score = -1) {
  const auto bits = std::bit_cast<uint32_t>(score);
  std::string number(1, '\x15');  // Field 2, 32 bits.
  for (int i = 0; i < 4; ++i) {
    number += static_cast<char>(bits >> (8 * i) & 0xFF);
  }
  return Field(1, Field(1, text) + number + Number(3, type));
}

const std::string kUnknown = Piece("<unk>", 2);

void ExpectError(const std::string& bytes, const std::string& part) {
  try {
    ParseSentencePieceModel(bytes, "x.spm");
    FAIL() << "no error with '" << part << "'";
  } catch (const ConversionError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("x.spm: "));
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
        << error.what();
  }
}

TEST(SentencePieceModelTest, AFieldOfAnotherTypeIsSkippedLikeAnUnknownOne) {
  // Text as a number, the score and the type as bytes, a model's flag too.
  const std::string odd = Number(1, 5) + Field(2, "-2.5") + Field(3, "\1");
  const SentencePieceModel model = ParseSentencePieceModel(
      kUnknown + Field(1, odd + Field(1, "a")) + Field(2, Field(35, "\1")) +
          Number(3, 1) + Field(5, Number(2, 1) + Field(2, "") + Number(3, 1)),
      "x.spm");
  ASSERT_EQ(model.pieces.size(), 2u);
  EXPECT_EQ(model.pieces[1].text, "a");
  EXPECT_EQ(model.pieces[1].score, 0);
  EXPECT_EQ(model.pieces[1].type, PieceType::kNormal);
  EXPECT_FALSE(model.byte_fallback);
}

TEST(SentencePieceModelTest, APieceOfAnUnknownTypeIsRefused) {
  ExpectError(kUnknown + Piece("a", 7), "piece 1 is of an unknown type");
  ExpectError(kUnknown + Piece("a", 0), "piece 1 is of an unknown type");
}

TEST(SentencePieceModelTest, TextThatIsNoUtf8IsRefused) {
  ExpectError(kUnknown + Piece("\xE2\x96", 1), "piece 1 is not UTF-8");
  ExpectError(kUnknown + Piece("a", 1) + Field(2, Field(44, "\xFF")),
              "unknown_surface is not UTF-8");
}

TEST(SentencePieceModelTest, ReadsPiecesAndFlags) {
  const std::string normalizer =
      Number(3, 0) + Number(4, 0) + Number(5, 0) + Field(2, "rules");
  const std::string trainer = Number(3, 1) + Number(24, 1) + Field(44, "??");
  const SentencePieceModel model =
      ParseSentencePieceModel(kUnknown + Piece("a", 1, -2.5f) +
                                  Field(2, trainer) + Field(3, normalizer),
                              "x.spm");
  ASSERT_EQ(model.pieces.size(), 2u);
  EXPECT_EQ(model.pieces[1].text, "a");
  EXPECT_EQ(model.pieces[1].score, -2.5f);
  EXPECT_EQ(model.pieces[1].type, PieceType::kNormal);
  EXPECT_TRUE(model.treat_whitespace_as_suffix);
  EXPECT_EQ(model.unknown_surface, "??");
  EXPECT_EQ(model.precompiled_charsmap, "rules");
  EXPECT_FALSE(model.add_dummy_prefix);
  EXPECT_FALSE(model.remove_extra_whitespaces);
  EXPECT_FALSE(model.escape_whitespaces);
}

TEST(SentencePieceModelTest, WhatIsLeftOutHasSentencePiecesDefaults) {
  const SentencePieceModel model =
      ParseSentencePieceModel(kUnknown + Field(1, Field(1, "a")), "x.spm");
  EXPECT_EQ(model.pieces[1].type, PieceType::kNormal);
  EXPECT_EQ(model.pieces[1].score, 0);
  EXPECT_TRUE(model.add_dummy_prefix);
  EXPECT_TRUE(model.remove_extra_whitespaces);
  EXPECT_TRUE(model.escape_whitespaces);
  EXPECT_FALSE(model.byte_fallback);
  EXPECT_EQ(model.unknown_surface, " \u2047 ");
}

TEST(SentencePieceModelTest, EachUnsupportedOrDamagedModelIsNamed) {
  ExpectError("", "has no pieces");
  ExpectError("hello world", "not a SentencePiece model");
  ExpectError(kUnknown.substr(0, 5), "not a SentencePiece model");
  ExpectError(kUnknown + Field(2, Number(3, 5)), "of the unknown type 5");
  // BPE has one table for all kinds of pieces, the others have two.
  const std::string twice = kUnknown + Piece("a", 1) + Piece("a", 3);
  EXPECT_EQ(ParseSentencePieceModel(twice, "test.spm").pieces.size(), 3u);
  ExpectError(twice + Field(2, Number(3, 2)), "'a' is defined twice");
  ExpectError(
      Field(2, Number(3, 2)) + kUnknown + Piece(std::string(101, 'a'), 5),
      "is unused and longer than 100 bytes");
  ExpectError(kUnknown + Field(5, Field(2, "rules")), "denormalization");
  ExpectError(Piece("a", 1), "0 unknown pieces");
  ExpectError(kUnknown + Piece("<u>", 2), "2 unknown pieces");
  ExpectError(kUnknown + Piece("a", 1) + Piece("a", 1), "defined twice");
  ExpectError(kUnknown + Piece("", 1), "is empty");
  ExpectError(kUnknown + Piece(std::string("a\0", 2), 1), "zero byte");
  ExpectError(kUnknown + Piece("<0x41>", 6), "byte_fallback");
  ExpectError(kUnknown + Piece("a", 1, INFINITY), "finite");
  ExpectError(kUnknown + Field(2, Number(35, 1)), "0 byte pieces");
}

TEST(SentencePieceModelTest, AReservedPieceMayHaveTheTextOfAnOrdinaryOne) {
  EXPECT_EQ(ParseSentencePieceModel(
                kUnknown + Piece("<s>", 3) + Piece("<s>", 1), "x.spm")
                .pieces.size(),
            3u);
}

TEST(SentencePieceModelTest, AnEmptyDenormalizerIsNoMatter) {
  EXPECT_EQ(
      ParseSentencePieceModel(
          kUnknown + Field(5, Field(1, "identity") + Number(3, 1)), "x.spm")
          .pieces.size(),
      1u);
}

TEST(SentencePieceModelTest, AMissingFileIsNamed) {
  try {
    ReadSentencePieceModel("/nowhere/source.spm");
    FAIL();
  } catch (const ConversionError& error) {
    EXPECT_STREQ(error.what(),
                 "/nowhere/source.spm: cannot be read (No such file or "
                 "directory).");
  }
}

TEST(SentencePieceModelTest, TruncatedFilesNeverCrash) {
  std::ifstream file(std::string(LATIMER_SOURCE_DIR) +
                         "/tests/data/sentencepiece/byte_fallback.spm",
                     std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  ASSERT_GT(bytes.size(), 1000u);
  for (size_t size = 0; size < bytes.size(); size += 97) {
    EXPECT_THROW(ParseSentencePieceModel(bytes.substr(0, size), "x.spm"),
                 ConversionError);
  }
}

TEST(SentencePieceModelTest, TimeGrowsWithTheModel) {
  const auto read = [](const std::string& bytes) {
    try {
      (void)ParseSentencePieceModel(bytes, "x.spm");
    } catch (const ConversionError&) {
    }
  };
  const auto pieces = [](const std::string& text, int type) {
    return [=](size_t n) {
      std::string bytes = kUnknown;
      for (size_t i = 0; i < n; ++i) {
        bytes += Piece(text + std::to_string(i), type);
      }
      return bytes;
    };
  };
  for (const int type : {1, 2, 3, 4, 5, 6, 7}) {
    ExpectLinear(5000, pieces("a", type), read);
    ExpectLinear(5000, pieces(std::string(90, 'a'), type), read);
  }
  for (const std::string& field :
       {Field(1, ""), Field(2, ""), Field(3, Field(2, "abc")), Field(9, "a"),
        Number(9, 1), std::string("\x80"), std::string("\x0B"),
        std::string(2, '\0')}) {
    SCOPED_TRACE(::testing::PrintToString(field));
    ExpectLinear(
        20000, [&](size_t n) { return kUnknown + Repeated(field, n); }, read);
  }
}

}  // namespace latimer::sentencepiece_model_test
