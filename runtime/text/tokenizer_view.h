// The tokenizer of a model, as spans into the model image.
//
// The loader fills it; nothing here is owned. What encoding and decoding rely
// on is checked once, by ValidateTokenizer.
#ifndef LATIMER_TEXT_TOKENIZER_VIEW_H_
#define LATIMER_TEXT_TOKENIZER_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/status.h"

namespace latimer {

// A string that is a token wherever it stands in the text.
struct AddedToken {
  int32_t id;
  uint32_t flags;  // kStrips...
};
inline constexpr uint32_t kStripsSpaceBefore = 1;
inline constexpr uint32_t kStripsSpaceAfter = 2;

// How the source is cut into pieces.
enum class Segmentation : uint8_t {
  kUnigram = 0,     // SentencePiece's unigram model.
  kBpe = 1,         // SentencePiece's byte pair encoding.
  kWords = 2,       // What stands between spaces.
  kCharacters = 3,  // Each code point.
  kByteBpe = 4,     // Byte pair encoding of bytes, in GPT-2's words.
  kBytes = 5,       // Each byte.
};

// What the normalizer makes of white space.
enum class Spacing : uint8_t {
  kSentencePiece = 0,  // As the four flags say.
  // Of Hugging Face's tokenizers. Metaspace behind WhitespaceSplit: words lie
  // between white space, and U+2581 stands before each that does not begin
  // with it.
  kWords = 1,
  // Metaspace alone: a space is U+2581, and one stands before a text that does
  // not begin with it. With remove_extra_whitespaces of a run of spaces one is
  // left.
  kMetaspace = 2,
  // Spaces stay. With add_dummy_prefix one stands before a text that does not
  // begin with one. A zero byte is kZeroByte where pieces are of bytes.
  kAsItIs = 3,
};
// What no UTF-8 has: stands for the zero byte, which no key of a trie has.
inline constexpr char kZeroByte = '\xFF';

// What stands between target pieces.
enum class Joining : uint8_t {
  kSentencePiece = 0,  // Nothing; U+2581 in a piece is a space.
  kWords = 1,          // One space.
  kCharacters = 2,     // Nothing.
  // Those below keep white space at the ends.
  kMetaspace = 3,  // Nothing; U+2581 is a space, in the first token nothing.
  kByteLevel = 4,  // Nothing; pieces are bytes, and invalid ones are U+FFFD.
  kBytes = 5,      // The same, but invalid ones are left out.
};

// What decoding does with a token.
enum class TargetKind : uint8_t {
  kText = 0,     // Writes its piece.
  kSpecial = 1,  // A special token: as if it were not there.
  kControl = 2,  // A control piece: writes nothing.
  kUnknown = 3,  // The unknown piece: writes `unknown_surface`.
  kByte = 4,     // A piece <0xNN>: writes that byte.
};

inline constexpr size_t kMaxPieceBytes = 1023;  // kMaxTrieKeyBytes

// A pair of BPE: the bytes of its left symbol (10 bits), and its rank (22
// bits), of which the lowest is merged first.
constexpr uint32_t MergeOf(uint32_t rank, size_t left_bytes) {
  return rank << 10 | static_cast<uint32_t>(left_bytes);
}
constexpr uint32_t MergeRank(uint32_t merge) { return merge >> 10; }
constexpr size_t MergeLeftBytes(uint32_t merge) {
  return merge & kMaxPieceBytes;
}
inline constexpr size_t kMaxReplacementBytes = 255;

struct TokenizerView {
  // Normalizer. A value of the trie is an offset in `replacements`, which are
  // zero-terminated strings. Without a rule a character stays as it is.
  std::span<const uint32_t> normalizer_trie;
  std::span<const uint8_t> replacements;
  // Pieces that are taken as they stand, before any rule. Values mean nothing.
  std::span<const uint32_t> user_defined_trie;
  bool add_dummy_prefix = false;
  bool remove_extra_whitespaces = false;
  bool escape_whitespaces = false;
  bool treat_whitespace_as_suffix = false;
  Spacing spacing = Spacing::kSentencePiece;
  // Entries of ClassEntry, ascending. With kByteBpe of the pre-tokenizer;
  // otherwise rules are looked up by graphemes, as normalizer.h says.
  std::span<const uint32_t> character_classes;

  Segmentation segmentation = Segmentation::kUnigram;
  // Source pieces and strings of the source vocabulary. A value of the trie
  // is an entry; entries below `source_vocabulary` are ids, the others are
  // pieces without an id.
  std::span<const uint32_t> piece_trie;
  // Unigram and BPE, one per entry: log probability, or minus infinity for an
  // entry that is never a segment of text.
  std::span<const float> scores;
  uint32_t source_vocabulary = 0;
  // Of a character that no piece covers: unigram. With Metaspace 10 more.
  float unknown_score = 0;
  int32_t unknown_id = 0;
  // Ids of the bytes 0 to 255 for models with byte fallback, else empty.
  std::span<const int32_t> byte_ids;
  // The ids are the segmentation's own: a run of unknown characters is
  // `unknown_id` whatever its text, and there are no >>language<< codes.
  bool own_ids = false;
  // With other ids: there are no such codes all the same.
  bool no_language_codes = false;
  // BPE by pairs: entry e can be put together of merges[merge_offsets[e],
  // merge_offsets[e + 1]), by ascending left bytes. Empty: BPE by scores.
  std::span<const uint32_t> merge_offsets;
  std::span<const uint32_t> merges;
  // BPE: pieces that are merged, but fall apart in the end. Values are below
  // `unused_pieces`.
  std::span<const uint32_t> unused_trie;
  uint32_t unused_pieces = 0;

  // A value of the trie is an index of `added_tokens`.
  std::span<const uint32_t> added_trie;
  std::span<const AddedToken> added_tokens;

  // The piece of target id i is piece_text[piece_offsets[i],
  // piece_offsets[i + 1]).
  std::span<const uint32_t> piece_offsets;
  std::span<const uint8_t> piece_text;
  std::span<const TargetKind> target_kinds;
  std::string_view unknown_surface;
  Joining joining = Joining::kSentencePiece;
  // Undo the spaces before English punctuation (Hugging Face's
  // clean_up_tokenization_spaces).
  bool clean_up_spaces = false;
};

// Checks everything that Tokenizer relies on, in time linear in the view's
// size. `source_rows` and `target_rows` are the rows of the model's
// embeddings; ids must be below them. kCorrupt with a sentence otherwise.
Status ValidateTokenizer(const TokenizerView& view, size_t source_rows,
                         size_t target_rows);

}  // namespace latimer

#endif  // LATIMER_TEXT_TOKENIZER_VIEW_H_
