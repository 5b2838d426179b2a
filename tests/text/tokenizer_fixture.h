// Texts with the ids and the decoded text of the original tokenizers, as
// tests/reference/tokenizer_fixture.py writes them.
#ifndef LATIMER_TESTS_TEXT_TOKENIZER_FIXTURE_H_
#define LATIMER_TESTS_TEXT_TOKENIZER_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/readers/huggingface_model.h"
#include "converter/readers/huggingface_tokenizer.h"
#include "converter/readers/text_file.h"
#include "converter/tokenizer_builder.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace latimer {

inline std::filesystem::path SourceDirectory() { return LATIMER_SOURCE_DIR; }

// A tokenizer with the buffers it needs.
class OwnedTokenizer {
 public:
  explicit OwnedTokenizer(TokenizerData data)
      : data_(std::move(data)), tokenizer_(data_.View()) {
    const Status status =
        ValidateTokenizer(data_.View(), 1 << 20, data_.target_kinds.size());
    EXPECT_TRUE(status.ok()) << status.message();
  }

  const Tokenizer& tokenizer() const { return tokenizer_; }
  const TokenizerData& data() const { return data_; }
  TokenizerScratch scratch() { return buffers_->Scratch(); }

  std::vector<int32_t> Encode(std::string_view text) {
    std::vector<int32_t> ids(text.size() * 40 + 8);
    const Result<size_t> count = tokenizer_.Encode(text, scratch(), ids);
    EXPECT_TRUE(count.ok()) << count.status().message();
    ids.resize(count.ok() ? *count : 0);
    return ids;
  }

  std::string Decode(const std::vector<int32_t>& ids) {
    std::string text(ids.size() * 64 + 4 * kMaxPieceBytes, '\0');
    const Result<size_t> bytes = tokenizer_.Decode(ids, text);
    EXPECT_TRUE(bytes.ok()) << bytes.status().message();
    text.resize(bytes.ok() ? *bytes : 0);
    return text;
  }

 private:
  using Buffers = TokenizerBuffers<(1 << 18)>;

  TokenizerData data_;
  Tokenizer tokenizer_;
  std::unique_ptr<Buffers> buffers_ = std::make_unique<Buffers>();
};

inline TokenizerData DemoTokenizerData() {
  Architecture architecture{};
  architecture.source_vocabulary = 12000;
  architecture.target_vocabulary = 12000;
  CanonicalGeneration generation;
  return ReadMarianTokenizer(SourceDirectory() / "examples" / "en-de",
                             architecture, &generation);
}

// A SentencePiece model whose own ids are the vocabulary.
inline TokenizerData SentencePieceOnly(const std::filesystem::path& path) {
  const SentencePieceModel model = ReadSentencePieceModel(path);
  const TokenizerSide side = {.model = &model, .rows = model.pieces.size()};
  return BuildTokenizer(side, side);
}

// A kind of tests/data/words or a folder like it; its vocabularies are there.
inline TokenizerData WordTokenizer(const std::filesystem::path& folder,
                                   const std::string& kind) {
  const bool words = kind.ends_with("words");
  const bool pieces = kind.find("pieces") != kind.npos;
  const Vocabulary vocabulary =
      ReadVocabulary(folder / (words    ? "words.json"
                               : pieces ? "pieces.json"
                                        : "characters.txt"));
  const TokenizerSide side = {
      .kind = words    ? TokenizerSide::Kind::kWords
              : pieces ? TokenizerSide::Kind::kLongestMatch
                       : TokenizerSide::Kind::kCharacters,
      .vocabulary = &vocabulary,
      .rows = vocabulary.pieces.size(),
      .skips_unknown = kind.starts_with("skip_"),
      .special = {"<pad>", "<sos>", "<eos>"},
      .lower_case = kind.starts_with("lower_"),
      .skips_spaces = kind.ends_with("_without_spaces")};
  return BuildTokenizer(side, side);
}

// A Hugging Face folder whose config.json has its rows.
inline HuggingFaceTokenizer HuggingFaceTokenizerOf(
    const std::filesystem::path& folder) {
  const auto config =
      nlohmann::json::parse(ReadTextFile(folder / "config.json"));
  Architecture architecture{};
  architecture.source_vocabulary = config.at("vocab_size").get<uint32_t>();
  architecture.target_vocabulary = architecture.source_vocabulary;
  return ReadHuggingFaceTokenizer(folder, TokenizerClassOf(folder),
                                  architecture);
}

inline std::string FromBase64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t buffer = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    buffer = (buffer << 6) | static_cast<uint32_t>(kDigits.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>((buffer >> bits) & 0xFF));
  }
  return bytes;
}

inline std::string Fnv1a(std::string_view bytes) {
  uint64_t value = 0xcbf29ce484222325;
  for (const char c : bytes) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return std::to_string(value);
}

// Calls `check(line)` for each line of a JSON lines file; returns how many.
template <typename Check>
size_t ForEachLine(const std::filesystem::path& path, Check check) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  size_t count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    check(nlohmann::json::parse(line));
  }
  return count;
}

// Expects the ids and the text of one line of a fixture.
inline void ExpectLine(OwnedTokenizer& owned, const nlohmann::json& line) {
  if (!line.contains("text")) {
    EXPECT_EQ(owned.Decode(line["ids"]), line["decoded"].get<std::string>())
        << line;
    return;
  }
  std::string text = FromBase64(line["text"].get<std::string>());
  const bool hashed = line.contains("times");
  if (hashed) {
    const std::string unit = text;
    for (int i = 1; i < line["times"]; ++i) text += unit;
  }
  const std::vector<int32_t> ids = owned.Encode(text);
  const std::string decoded = owned.Decode(ids);
  if (hashed) {
    const std::string_view bytes(reinterpret_cast<const char*>(ids.data()),
                                 ids.size() * sizeof(int32_t));
    EXPECT_EQ(ids.size(), line["count"]) << line;
    EXPECT_EQ(Fnv1a(bytes), line["ids_fnv1a"].get<std::string>()) << line;
    EXPECT_EQ(Fnv1a(decoded), line["decoded_fnv1a"].get<std::string>()) << line;
  } else {
    EXPECT_EQ(ids, line["ids"].get<std::vector<int32_t>>()) << line;
    EXPECT_EQ(decoded, line["decoded"].get<std::string>()) << line;
  }
}

// Cuts `text` to the end and checks each part.
inline std::vector<std::string_view> ExpectParts(OwnedTokenizer& owned,
                                                 std::string_view text,
                                                 size_t max_tokens) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const TextCut cut =
        owned.tokenizer().FindCut(text, max_tokens, owned.scratch());
    EXPECT_GT(cut.end, 0u);
    EXPECT_LE(cut.end, cut.next);
    EXPECT_LE(cut.next, text.size());
    if (cut.end == 0 || cut.next > text.size()) break;
    parts.push_back(text.substr(0, cut.end));
    EXPECT_LE(owned.Encode(parts.back()).size(), max_tokens) << parts.back();
    EXPECT_EQ(LeadingSpaceBytes(text.substr(cut.end, cut.next - cut.end)),
              cut.next - cut.end);
    text.remove_prefix(cut.next);
  }
  return parts;
}

}  // namespace latimer

#endif  // LATIMER_TESTS_TEXT_TOKENIZER_FIXTURE_H_
