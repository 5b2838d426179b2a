// The tokenizer of a model, as views into the model image.
//
// The loader fills it; it owns nothing. ValidateTokenizer checks once what
// encoding and decoding rely on.
#ifndef LATIMER_TEXT_TOKENIZER_VIEW_H_
#define LATIMER_TEXT_TOKENIZER_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/status.h"
#include "text/stand_ins.h"

namespace latimer {

// A string that is a token wherever it occurs in a text.
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
  kWords = 2,       // Words, separated by spaces.
  kCharacters = 3,  // Each code point.
  kByteBpe = 4,     // Byte pair encoding of bytes, in GPT-2's words.
  kBytes = 5,       // Each byte.
  // The longest piece that the rest of the text begins with, else a character.
  kLongestMatch = 6,
};

// How the normalizer treats white space.
enum class Spacing : uint8_t {
  kSentencePiece = 0,  // By the four flags of the view.
  // The others are of Hugging Face's tokenizers. WhitespaceSplit and Metaspace:
  // white space separates words, and U+2581 precedes each word that does not
  // begin with it.
  kWords = 1,
  // Metaspace alone: a space becomes U+2581, and one precedes a text that does
  // not begin with it. remove_extra_whitespaces reduces a run of spaces to one.
  kMetaspace = 2,
  // Spaces stay. With add_dummy_prefix a space precedes a text that does not
  // begin with one. With kByteBpe a zero byte becomes kZeroByte. With kBpe the
  // whole text is one word.
  kAsItIs = 3,
};
// Stands for the zero byte, which no key of a trie contains; not in any UTF-8.
inline constexpr char kZeroByte = '\xFF';

// How target pieces are joined.
enum class Joining : uint8_t {
  kSentencePiece = 0,  // Without a space; U+2581 in a piece becomes one.
  kWords = 1,          // With one space.
  kCharacters = 2,     // Without a space.
  // The others keep white space at the ends of the text.
  kMetaspace = 3,  // As kSentencePiece, but the first token has no U+2581.
  kByteLevel = 4,  // Pieces are bytes; invalid ones become U+FFFD.
  kBytes = 5,      // Pieces are bytes; invalid ones are left out.
};

// What decoding does with a token.
enum class TargetKind : uint8_t {
  kText = 0,     // Writes its piece.
  kSpecial = 1,  // A special token: ignores it.
  kControl = 2,  // A control piece: writes nothing.
  kUnknown = 3,  // The unknown piece: writes `unknown_surface`.
  kByte = 4,     // A piece <0xNN>: writes that byte.
};

inline constexpr size_t kMaxPieceBytes = 1023;  // kMaxTrieKeyBytes

// A pair of BPE: the bytes of its left symbol (10 bits) and its rank (22 bits).
// The pair with the lowest rank is merged first.
constexpr uint32_t MergeOf(uint32_t rank, size_t left_bytes) {
  return rank << 10 | static_cast<uint32_t>(left_bytes);
}
constexpr uint32_t MergeRank(uint32_t merge) { return merge >> 10; }
constexpr size_t MergeLeftBytes(uint32_t merge) {
  return merge & kMaxPieceBytes;
}
inline constexpr size_t kMaxReplacementBytes = 255;
// As the unknown id of words, characters or longest matches: what is unknown
// becomes no token.
inline constexpr int32_t kSkipsUnknown = -1;

struct TokenizerView {
  // Normalizer. A value of the trie is an offset in `replacements`, which are
  // zero-terminated strings. A character that is no key stays as it is.
  std::span<const uint32_t> normalizer_trie;
  std::span<const uint8_t> replacements;
  // What characters that no piece covers are read as, after the rules: likewise
  // one character to a string, or an empty one. Not for a text whose ids must
  // be those of the original library.
  std::span<const uint32_t> fold_trie;
  std::span<const uint8_t> fold_text;
  // Pieces that are not normalized. The values of the trie have no meaning.
  std::span<const uint32_t> user_defined_trie;
  bool add_dummy_prefix = false;
  bool remove_extra_whitespaces = false;
  bool escape_whitespaces = false;
  bool treat_whitespace_as_suffix = false;
  Spacing spacing = Spacing::kSentencePiece;
  // Entries by ClassEntry, ascending: with kByteBpe for the pre-tokenizer, else
  // for graphemes, which the normalizer then looks up.
  std::span<const uint32_t> character_classes;

  Segmentation segmentation = Segmentation::kUnigram;
  // Source pieces and strings of the source vocabulary. A value of the trie
  // is an entry; entries below `source_vocabulary` are ids, the others are
  // pieces without an id.
  std::span<const uint32_t> piece_trie;
  // For unigram and BPE, one per entry: the log-probability, or kNoSegment for
  // an entry that is never a segment of text.
  std::span<const float> scores;
  uint32_t source_vocabulary = 0;
  // For unigram: the score of a character that no piece covers. With Metaspace
  // it is 10 lower.
  float unknown_score = 0;
  int32_t unknown_id = 0;  // May be kSkipsUnknown.
  // With byte fallback the ids of the bytes 0 to 255, else empty.
  std::span<const int32_t> byte_ids;
  // Whether the ids are the segmentation's own: a run of unknown characters is
  // `unknown_id` whatever its text, and there are no >>language<< codes.
  bool own_ids = false;
  // Whether there are no such codes with other ids either.
  bool no_language_codes = false;
  // For BPE by pairs: the pairs that form entry e are merges[merge_offsets[e],
  // merge_offsets[e + 1]), by ascending left bytes. Empty: BPE by scores.
  std::span<const uint32_t> merge_offsets;
  std::span<const uint32_t> merges;
  // For BPE: pieces that are merged but fall apart in the end. Values are below
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
  // Of the text at hand; none of a model.
  StandIns stand_ins = {};
  // Whether to remove spaces before English punctuation (Hugging Face's
  // clean_up_tokenization_spaces).
  bool clean_up_spaces = false;

  // The view of a tokenizer that folds nothing.
  TokenizerView WithoutFolds() const {
    TokenizerView view = *this;
    view.fold_trie = {};
    view.fold_text = {};
    return view;
  }
  bool is_bpe() const {
    return segmentation == Segmentation::kBpe ||
           segmentation == Segmentation::kByteBpe;
  }
};

// The id of an entry of TokenizerView::piece_trie.
constexpr int32_t IdOfEntry(const TokenizerView& view, uint32_t entry) {
  return entry < view.source_vocabulary ? static_cast<int32_t>(entry)
                                        : view.unknown_id;
}

// Whether the piece of a target id goes on with a word, in a script that has
// spaces between words.
bool ContinuesWord(const TokenizerView& view, size_t token);

// Checks everything that Tokenizer relies on, in time linear in the view's
// size. `source_rows` and `target_rows` are the rows of the model's embeddings;
// ids must be below them. kCorrupt if a check fails.
Status ValidateTokenizer(const TokenizerView& view, size_t source_rows,
                         size_t target_rows);
// The same for a view that only encodes, as ids below `rows`.
Status ValidateEncoder(const TokenizerView& view, size_t rows);

}  // namespace latimer

#endif  // LATIMER_TEXT_TOKENIZER_VIEW_H_
