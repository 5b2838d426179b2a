// Shortlists of Marian, binary and as text.
// Tests converter/readers/shortlist.cc.
#include "converter/readers/shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/converter/model_folder.h"
#include "tests/converter/zip_bytes.h"

namespace latimer::shortlist_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kMagic = 0xF11A48D5013417F5;

// Words are their ids in decimal; unknown ones are 1.
uint32_t IdOf(const std::string& word) {
  return word.find_first_not_of("0123456789") == std::string::npos
             ? static_cast<uint32_t>(std::stoul(word))
             : 1;
}

ShortlistSides Sides(uint32_t source, uint32_t target) {
  ShortlistSides sides;
  sides.source_id = IdOf;
  sides.target_id = IdOf;
  sides.source_vocabulary = source;
  sides.target_vocabulary = target;
  return sides;
}

CanonicalShortlist Read(const std::string& bytes, const ShortlistSides& sides,
                        const ShortlistLimits& limits = {}) {
  TempFolder folder;
  const auto path = folder.path() / "lex.s2t";
  WriteFile(path, bytes);
  return ReadShortlist(path, limits, sides);
}

std::string ErrorFrom(const std::string& bytes, const ShortlistSides& sides) {
  const std::string message = ErrorOf([&] { Read(bytes, sides); });
  EXPECT_THAT(message, HasSubstr("lex.s2t: "));
  EXPECT_EQ(message.back(), '.') << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message;
}

// util::hashMem of browsermt/marian-dev.
uint64_t HashOf(const std::string& bytes) {
  uint64_t seed = 0;
  for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    seed ^= word + 0x9e3779b9 + (seed << 6) + (seed >> 2);
  }
  return seed;
}

std::string Binary(const std::vector<uint64_t>& header,
                   const std::vector<uint64_t>& offsets,
                   const std::vector<uint32_t>& tokens) {
  std::string body;
  for (const uint64_t number : header) body += Bytes(number, 8);
  for (const uint64_t offset : offsets) body += Bytes(offset, 8);
  for (const uint32_t token : tokens) body += Bytes(token, 4);
  return Bytes(kMagic, 8) + Bytes(HashOf(body), 8) + body;
}

TEST(ShortlistTest, ReadsTheBinaryForm) {
  const CanonicalShortlist list =
      Read(Binary({7, 50, 4, 3}, {0, 2, 2, 3}, {4, 8, 5}), Sides(3, 9));
  EXPECT_EQ(list.first, 7u);
  EXPECT_FALSE(list.copies_source);
  EXPECT_THAT(list.offsets, ElementsAre(0, 2, 2, 3));
  EXPECT_THAT(list.tokens, ElementsAre(4, 8, 5));
}

TEST(ShortlistTest, WordsBehindTheLastListHaveNone) {
  const std::string bytes = Binary({7, 50, 3, 3}, {0, 2, 3}, {4, 8, 5});
  EXPECT_THAT(Read(bytes, Sides(2, 9)).offsets, ElementsAre(0, 2, 3));
  EXPECT_THAT(Read(bytes, Sides(4, 9)).offsets, ElementsAre(0, 2, 3, 3, 3));
  EXPECT_THAT(Read(Binary({7, 50, 0, 0}, {}, {}), Sides(2, 9)).offsets,
              ElementsAre(0, 0, 0));
}

TEST(ShortlistTest, CopiesTheSourceWhereTheVocabularyIsTheSame) {
  ShortlistSides sides = Sides(1, 1);
  sides.same_vocabulary = true;
  EXPECT_TRUE(Read(Binary({1, 1, 2, 0}, {0, 0}, {}), sides).copies_source);
}

TEST(ShortlistTest, RefusesBinaryFilesThatAreDamaged) {
  const std::string good = Binary({7, 50, 4, 3}, {0, 2, 2, 3}, {4, 8, 5});
  for (size_t size = 48; size < good.size(); ++size) {
    EXPECT_THAT(ErrorFrom(good.substr(0, size), Sides(3, 9)),
                HasSubstr("truncated or damaged"));
  }
  std::string changed = good;
  changed[20] = static_cast<char>(changed[20] ^ 1);
  EXPECT_THAT(ErrorFrom(changed, Sides(3, 9)), HasSubstr("checksum"));
  constexpr uint64_t kHuge = uint64_t{1} << 61;
  EXPECT_THAT(ErrorFrom(Binary({7, 50, kHuge, 3}, {0, 2, 2, 3}, {4, 8, 5}),
                        Sides(3, 9)),
              HasSubstr("truncated or damaged"));
  EXPECT_THAT(ErrorFrom(Binary({7, 50, 4, kHuge}, {0, 2, 2, 3}, {4, 8, 5}),
                        Sides(3, 9)),
              HasSubstr("truncated or damaged"));
  for (const std::vector<uint64_t>& offsets :
       std::vector<std::vector<uint64_t>>{
           {0, 2, 1, 3}, {0, 2, 2, 2}, {0, 9, 9, 3}}) {
    EXPECT_THAT(
        ErrorFrom(Binary({7, 50, 4, 3}, offsets, {4, 8, 5}), Sides(3, 9)),
        HasSubstr("is damaged"));
  }
}

TEST(ShortlistTest, RefusesVocabulariesOfAnotherSize) {
  const std::string bytes = Binary({7, 50, 4, 3}, {0, 2, 2, 3}, {4, 8, 5});
  EXPECT_THAT(ErrorFrom(bytes, Sides(2, 9)),
              HasSubstr("lists for 3 words, but the source vocabulary has 2"));
  EXPECT_THAT(ErrorFrom(bytes, Sides(3, 8)),
              HasSubstr("target id 8, but the target vocabulary has 8"));
  EXPECT_THAT(ErrorFrom(bytes, Sides(3, 65537)), HasSubstr("too large"));
}

TEST(ShortlistTest, KeepsTheBestOfAFormInText) {
  const std::string text =
      "5 2 0.1\n7 2 0.5\n6 2 0.3\n5 2 0.4\n"
      "NULL 2 0.9\n3 NULL 0.9\n"
      "4 word 0.2\n\nword 3 0.01";
  ShortlistLimits limits = {.first = 3, .best = 2, .threshold = 0.05f};
  const CanonicalShortlist list = Read(text, Sides(4, 9), limits);
  EXPECT_EQ(list.first, 3u);
  // Of source 1, the unknown word: 4. Of 2: 7 (0.5) and 5 (0.4). Of 3: nothing.
  EXPECT_THAT(list.offsets, ElementsAre(0, 0, 1, 3, 3));
  EXPECT_THAT(list.tokens, ElementsAre(4, 5, 7));
}

TEST(ShortlistTest, ReadsGzipAsMarianDoes) {
  // "5 2 0.1\n7 2 0.5\n", by Python's gzip.
  const std::string bytes(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x33\x55\x30\x52\x30\xd0"
      "\x33\xe4\x32\x07\xd3\xa6\x5c\x00\x26\x85\xff\x8c\x10\x00\x00\x00",
      32);
  EXPECT_THAT(Read(bytes, Sides(3, 9)).tokens, ElementsAre(5, 7));
}

TEST(ShortlistTest, RefusesTextThatIsNone) {
  EXPECT_THAT(ErrorFrom("5 2 0.1\n5 2\n", Sides(4, 9)),
              HasSubstr("line 2 is not a target word, a source word"));
  EXPECT_THAT(ErrorFrom("\x1f\x8b\x08", Sides(4, 9)),
              HasSubstr("is damaged gzip"));
  EXPECT_THAT(ErrorFrom("\x28\xb5\x2f\xfd", Sides(4, 9)),
              HasSubstr("is damaged Zstandard"));
  EXPECT_THAT(Read("", Sides(1, 1)).tokens, IsEmpty());
}

}  // namespace latimer::shortlist_test
