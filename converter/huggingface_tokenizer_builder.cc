#include "converter/huggingface_tokenizer_builder.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <set>

#include "converter/character_classes_table.h"
#include "converter/charsmap.h"
#include "converter/error.h"
#include "converter/normalizer_builder.h"
#include "converter/trie_builder.h"
#include "text/byte_piece.h"
#include "text/trie.h"
#include "text/utf8.h"

namespace latimer {
namespace {

using Model = HuggingFaceTokenizerParts::Model;

constexpr const char* kEscapedSpace = "\xE2\x96\x81";
constexpr float kNoSegment = -std::numeric_limits<float>::infinity();

// The bytes of a token in GPT-2's alphabet (bytes_to_unicode of its
// encoder.py): printable Latin-1 stands for itself, all other bytes start at
// U+0100. Nothing if a character is not in the alphabet.
std::optional<std::string> BytesOf(std::string_view token) {
  static const std::map<uint32_t, char> kAlphabet = [] {
    std::map<uint32_t, char> alphabet;
    uint32_t next = 0x100;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const bool is_itself =
          (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
      alphabet[is_itself ? byte : next++] = static_cast<char>(byte);
    }
    return alphabet;
  }();
  std::string bytes;
  while (!token.empty()) {
    const Utf8Char c = FirstChar(token);
    const auto found = kAlphabet.find(c.code_point);
    if (c.bytes == 0 || found == kAlphabet.end()) return std::nullopt;
    bytes.push_back(found->second);
    token.remove_prefix(c.bytes);
  }
  return bytes;
}

// `piece` with a space for each U+2581.
std::string WithSpaces(std::string_view piece) {
  constexpr std::string_view kEscaped = kEscapedSpace;
  std::string text;
  while (true) {
    const size_t at = piece.find(kEscaped);
    text += piece.substr(0, at);
    if (at == piece.npos) return text;
    text += ' ';
    piece.remove_prefix(at + kEscaped.size());
  }
}

// "<0x0A>".
std::string PieceOfByte(int byte) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  return {'<', '0', 'x', kDigits[byte / 16], kDigits[byte % 16], '>'};
}

// The tokens that are added to the model's, and those that decoding leaves out.
class AddedTokens {
 public:
  explicit AddedTokens(HuggingFaceTokenizer& out) : out_(out) {}

  // Adds a token that has an id.
  void Add(const AddedTokenConfig& token, int32_t id, bool special) {
    const uint32_t flags =
        (token.strips_space_before ? kStripsSpaceBefore : 0) |
        (token.strips_space_after ? kStripsSpaceAfter : 0);
    keys_[token.text] = static_cast<uint32_t>(out_.data.added_tokens.size());
    out_.data.added_tokens.push_back({id, flags});
    out_.ids[token.text] = id;
    texts_[id] = token.text;
    if (special && special_.insert(token.text).second) {
      out_.special.push_back(token.text);
    }
  }

  bool IsSpecial(const std::string& text) const {
    return special_.contains(text);
  }
  // The text of an added token, or null.
  const std::string* Find(int32_t id) const {
    const auto found = texts_.find(id);
    return found == texts_.end() ? nullptr : &found->second;
  }
  size_t size() const { return texts_.size(); }

  void Finish() { out_.data.added_trie = BuildTrie(keys_); }

 private:
  HuggingFaceTokenizer& out_;
  std::map<std::string, uint32_t> keys_;
  std::map<int32_t, std::string> texts_;
  std::set<std::string> special_;
};

class Builder {
 public:
  explicit Builder(const HuggingFaceTokenizerParts& parts)
      : parts_(parts), data_(out_.data), added_(out_) {}

  HuggingFaceTokenizer Build() {
    CheckSizes();
    for (size_t id = 0; id < parts_.pieces.size(); ++id) {
      out_.ids[parts_.pieces[id].first] = static_cast<int32_t>(id);
    }
    AddTokens();
    data_.own_ids = true;
    data_.unknown_id = parts_.unknown_id;
    data_.clean_up_spaces = parts_.clean_up_spaces;
    BuildNormalizer();
    BuildPieces();
    BuildTarget();
    return std::move(out_);
  }

 private:
  bool of_bytes() const { return parts_.model == Model::kByteBpe; }
  // What a word's pieces begin with in normalized text.
  std::string Space() const {
    return parts_.byte_fallback ? " " : kEscapedSpace;
  }

  void CheckSizes() const {
    const size_t rows = std::min(parts_.source_rows, parts_.target_rows);
    if (parts_.pieces.size() > rows) {
      FailIn(parts_.name, "has ", parts_.pieces.size(),
             " pieces, more than the ", rows, " rows of the model's embedding");
    }
    if (static_cast<size_t>(parts_.unknown_id) >= parts_.pieces.size()) {
      FailIn(parts_.name, "has no unknown piece");
    }
  }

  void AddTokens();
  void BuildNormalizer();
  std::map<std::string, uint32_t> Entries() const;
  void BuildPieces();
  void BuildScores(const std::map<std::string, uint32_t>& entries);
  void BuildMerges(const std::map<std::string, uint32_t>& entries);
  void BuildBytes(const std::map<std::string, uint32_t>& entries);
  std::string KeyOf(const std::string& piece) const;
  std::string TextOf(const std::string& piece) const;
  void BuildTarget();

  const HuggingFaceTokenizerParts& parts_;
  HuggingFaceTokenizer out_;
  TokenizerData& data_;
  AddedTokens added_;
};

// AddedVocabulary::add_tokens. Ignores a token without a row in the model.
void Builder::AddTokens() {
  size_t next = parts_.pieces.size();
  for (const AddedTokenConfig& token : parts_.added) {
    const auto found = out_.ids.find(token.text);
    size_t id = next;
    if (found != out_.ids.end()) {
      id = static_cast<size_t>(found->second);
    } else {
      ++next;
    }
    if (token.id.has_value() && static_cast<size_t>(*token.id) != id) {
      FailIn(parts_.name, "token '", token.text, "' has the id ", *token.id,
             " in one file and ", id, " in another");
    }
    if (id >= parts_.source_rows || id >= parts_.target_rows) continue;
    added_.Add(token, static_cast<int32_t>(id),
               token.special || token.declared_special);
  }
  data_.source_vocabulary =
      static_cast<uint32_t>(std::min(next, parts_.source_rows));
  added_.Finish();
}

void Builder::BuildNormalizer() {
  data_.spacing = of_bytes() ? Spacing::kAsItIs : parts_.spacing;
  data_.remove_extra_whitespaces = parts_.collapses_spaces;
  data_.add_dummy_prefix = of_bytes() && parts_.add_prefix_space;
  if (of_bytes()) {
    data_.character_classes.assign(std::begin(kPreTokenizerClasses),
                                   std::end(kPreTokenizerClasses));
  } else if (!parts_.charsmap.empty()) {
    data_.character_classes.assign(std::begin(kGraphemeClasses),
                                   std::end(kGraphemeClasses));
    BuildRules(DecodeCharsmap(parts_.charsmap, parts_.name), data_);
  } else {
    BuildRules(parts_.rules, data_);
  }
}

// How a piece appears in normalized text; empty if it never does.
std::string Builder::KeyOf(const std::string& piece) const {
  std::string key = piece;
  if (of_bytes()) {
    key = BytesOf(piece).value_or(std::string());
    std::replace(key.begin(), key.end(), '\0', kZeroByte);
  } else if (key.find('\0') != key.npos) {
    FailIn(parts_.name, "a piece has a zero byte");
  } else if (parts_.byte_fallback) {
    key = key.find(' ') == key.npos ? WithSpaces(key) : std::string();
  }
  if (key.size() > kMaxPieceBytes) {
    FailIn(parts_.name, "a piece is longer than ", kMaxPieceBytes, " bytes");
  }
  return key;
}

std::map<std::string, uint32_t> Builder::Entries() const {
  std::map<std::string, uint32_t> entries;
  for (size_t id = 0; id < parts_.pieces.size(); ++id) {
    const std::string key = KeyOf(parts_.pieces[id].first);
    if (!key.empty()) entries[key] = static_cast<uint32_t>(id);
  }
  return entries;
}

void Builder::BuildPieces() {
  const std::map<std::string, uint32_t> entries = Entries();
  if (of_bytes()) {
    for (int byte = 0; byte < 256; ++byte) {
      const char c = byte == 0 ? kZeroByte : static_cast<char>(byte);
      if (!entries.contains(std::string(1, c))) {
        FailIn(parts_.name, "has no piece for the byte ", byte);
      }
    }
  } else if (!entries.contains(Space())) {
    FailIn(parts_.name, "has no piece U+2581, which words begin with");
  }
  if (parts_.byte_fallback) BuildBytes(entries);
  data_.piece_trie = BuildTrie(entries);
  switch (parts_.model) {
    case Model::kUnigram:
      data_.segmentation = Segmentation::kUnigram;
      BuildScores(entries);
      break;
    case Model::kBpe:
      data_.segmentation = Segmentation::kBpe;
      BuildMerges(entries);
      break;
    case Model::kByteBpe:
      data_.segmentation = Segmentation::kByteBpe;
      BuildMerges(entries);
      break;
  }
}

// The ids of the bytes. That of an ASCII character may be its own, which makes
// its byte needless.
void Builder::BuildBytes(const std::map<std::string, uint32_t>& entries) {
  for (int byte = 0; byte < 256; ++byte) {
    const auto piece = out_.ids.find(PieceOfByte(byte));
    const auto own = entries.find(std::string(1, static_cast<char>(byte)));
    if (piece != out_.ids.end()) {
      data_.byte_ids.push_back(piece->second);
    } else if (own != entries.end()) {
      data_.byte_ids.push_back(static_cast<int32_t>(own->second));
    } else {
      FailIn(parts_.name, "has no piece for the byte ", byte);
    }
  }
}

// Segmentation looks for every piece in the text, including special tokens.
void Builder::BuildScores(const std::map<std::string, uint32_t>& entries) {
  data_.scores.assign(data_.source_vocabulary, kNoSegment);
  for (const auto& [key, id] : entries) {
    data_.scores[id] = parts_.pieces[id].second;
  }
  data_.unknown_score = std::numeric_limits<float>::infinity();
  for (const auto& [text, score] : parts_.pieces) {
    data_.unknown_score = std::min(data_.unknown_score, score);
  }
}

void Builder::BuildMerges(const std::map<std::string, uint32_t>& entries) {
  // By entry and left bytes. The last of equal pairs counts.
  std::map<std::pair<uint32_t, size_t>, uint32_t> ranks;
  constexpr size_t kMaxMerges = kTrieNone - 1;
  if (parts_.merges.size() > kMaxMerges) {
    FailIn(parts_.name, "has more than ", kMaxMerges, " merges");
  }
  for (size_t rank = 0; rank < parts_.merges.size(); ++rank) {
    const auto& [left, right] = parts_.merges[rank];
    const std::string left_key = KeyOf(left);
    const auto result = entries.find(KeyOf(std::string(left).append(right)));
    if (left_key.empty() || result == entries.end() ||
        !entries.contains(left_key) || !entries.contains(KeyOf(right))) {
      FailIn(parts_.name, "merge ", rank, ", '", left, " ", right,
             "', is of or to a piece that is not in the vocabulary");
    }
    ranks[{result->second, left_key.size()}] = static_cast<uint32_t>(rank);
  }
  uint32_t entry = 0;
  data_.merge_offsets.push_back(0);
  for (const auto& [key, rank] : ranks) {
    for (; entry < key.first; ++entry) {
      data_.merge_offsets.push_back(static_cast<uint32_t>(data_.merges.size()));
    }
    data_.merges.push_back(MergeOf(rank, key.second));
  }
  data_.merge_offsets.resize(size_t{data_.source_vocabulary} + 1,
                             static_cast<uint32_t>(data_.merges.size()));
}

// What decoding writes for a piece.
std::string Builder::TextOf(const std::string& piece) const {
  if (of_bytes()) return BytesOf(piece).value_or(piece);
  if (!parts_.byte_fallback) return piece;
  const int byte = ByteOfPiece(piece);
  return byte < 0 ? WithSpaces(piece) : std::string(1, static_cast<char>(byte));
}

// An id without a token is nothing.
void Builder::BuildTarget() {
  data_.joining = of_bytes() || parts_.byte_fallback ? Joining::kByteLevel
                                                     : Joining::kMetaspace;
  for (size_t id = 0; id < parts_.target_rows; ++id) {
    const std::string* text = added_.Find(static_cast<int32_t>(id));
    if (text == nullptr && id < parts_.pieces.size()) {
      text = &parts_.pieces[id].first;
    }
    if (text == nullptr) {
      data_.AddTarget(TargetKind::kSpecial, "");
      continue;
    }
    data_.AddTarget(
        added_.IsSpecial(*text) ? TargetKind::kSpecial : TargetKind::kText,
        TextOf(*text));
  }
}

}  // namespace

HuggingFaceTokenizer BuildHuggingFaceTokenizer(
    const HuggingFaceTokenizerParts& parts) {
  return Builder(parts).Build();
}

HuggingFaceTokenizer BuildByteTokenizer(const TokenizerConfig& config,
                                        size_t rows) {
  constexpr size_t kFirstByte = 3;
  constexpr size_t kBytes = 256;
  if (rows < kFirstByte + kBytes) {
    FailIn(config.name, "the embedding has ", rows,
           " rows, fewer than a tokenizer of bytes needs");
  }
  HuggingFaceTokenizer out;
  TokenizerData& data = out.data;
  AddedTokens added(out);
  size_t next = kFirstByte + kBytes;
  for (const AddedTokenConfig& token : config.tokens) {
    const auto known = out.ids.find(token.text);
    const size_t id = token.id.has_value() ? static_cast<size_t>(*token.id)
                      : known != out.ids.end()
                          ? static_cast<size_t>(known->second)
                          : next;
    if (id == next) ++next;
    if (id < rows) added.Add(token, static_cast<int32_t>(id), token.special);
  }
  added.Finish();
  data.segmentation = Segmentation::kBytes;
  data.spacing = Spacing::kAsItIs;
  data.joining = Joining::kBytes;
  data.own_ids = true;
  data.source_vocabulary = static_cast<uint32_t>(
      std::min(std::max(next, kFirstByte + kBytes), rows));
  data.unknown_id = kFirstByte - 1;
  data.clean_up_spaces = config.clean_up_spaces;
  for (size_t byte = 0; byte < kBytes; ++byte) {
    data.byte_ids.push_back(static_cast<int32_t>(kFirstByte + byte));
  }
  for (size_t id = 0; id < rows; ++id) {
    const std::string* text = added.Find(static_cast<int32_t>(id));
    if (text != nullptr) {
      data.AddTarget(
          added.IsSpecial(*text) ? TargetKind::kSpecial : TargetKind::kText,
          *text);
    } else if (id >= kFirstByte && id < kFirstByte + kBytes) {
      const char byte = static_cast<char>(id - kFirstByte);
      data.AddTarget(TargetKind::kText, {&byte, 1});
    } else {
      data.AddTarget(TargetKind::kSpecial, "");
    }
  }
  return out;
}

}  // namespace latimer
