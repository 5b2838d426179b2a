// Text to source token ids, and target token ids to text.
//
// For a SentencePiece model with a separate vocabulary, ids and text equal
// those of transformers 5.23's MarianTokenizer, which builds on sentencepiece
// 0.2.3: added tokens are split out first, a leading >>language<< code is one
// token, SentencePiece's normalizer and its unigram or BPE model do the rest,
// and pieces are looked up by their text, so that a run of characters that the
// source pieces do not cover can still have an id. With SentencePiece's own
// ids, they equal its Encode and, without white space at the ends, its Decode.
// Words and characters are those of Python's str.split() and list().
#ifndef LATIMER_TEXT_TOKENIZER_H_
#define LATIMER_TEXT_TOKENIZER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/status.h"
#include "latimer/translation.h"
#include "text/tokenizer_scratch.h"
#include "text/tokenizer_view.h"

namespace latimer {

// A place to cut a text in two.
struct TextCut {
  size_t end;   // The first part is text[0, end).
  size_t next;  // The rest begins here, after white space.
};

class Tokenizer {
 public:
  Tokenizer() = default;
  // `view` has passed ValidateTokenizer; the data it views outlives this
  // object.
  explicit Tokenizer(const TokenizerView& view) : view_(view) {}
  // The same, which reads stand-ins in place of ranges of a text.
  Tokenizer With(const StandIns& stand_ins) const {
    Tokenizer copy = *this;
    copy.view_.stand_ins = stand_ins;
    return copy;
  }

  // Writes the ids of `text`, which may be any bytes, without an
  // end-of-sentence token, and returns their number. kTextTooLong if they are
  // more than `ids` holds or the scratch is too small; then cut the text at
  // FindCut.
  Result<size_t> Encode(std::string_view text, const TokenizerScratch& scratch,
                        std::span<int32_t> ids) const;

  // The number of ids that Encode needs room for. kTextTooLong if the scratch
  // is too small.
  Result<size_t> Count(std::string_view text,
                       const TokenizerScratch& scratch) const;

  // Finds the longest prefix of `text`, which is not empty, that Encode turns
  // into at most `max_tokens` tokens and that ends with a sentence. If there is
  // none, the prefix ends before white space; if there is no white space
  // either, after a character, or with BPE after a piece. If BPE pieces reach
  // across the cut, the prefix can be a few tokens shorter than possible. It
  // has at least one character, even if that alone has too many tokens. Looks
  // for added tokens in all of the text, and otherwise reads only as much of it
  // as fits into the scratch, n bytes, in time O(n), with BPE O(n log n).
  TextCut FindCut(std::string_view text, size_t max_tokens,
                  const TokenizerScratch& scratch) const;

  // Bytes of the >>language<< code at the beginning of `text`, or 0. The code
  // can be encoded by itself; if a text is cut, the code belongs to every part.
  size_t LanguageCodeBytes(std::string_view text) const;

  // Writes the text of the ids as UTF-8, without a terminating zero, and
  // returns its bytes. Leaves out special tokens, such as the end of sentence.
  // kInvalidArgument for an id outside the target vocabulary, kTextTooLong if
  // `out` is too small.
  Result<size_t> Decode(std::span<const int32_t> ids,
                        std::span<char> out) const;

  // The bytes of `text` that each of its ids stands for, without white space at
  // their ends; as many as `ranges` holds. Precondition: Encode succeeds.
  void FindRanges(std::string_view text, const TokenizerScratch& scratch,
                  std::span<TextRange> ranges) const;

  // The bytes of each id in what Decode writes, likewise, as `target` of
  // `links`, one for each of `ids`. Leaves that text in `text`. Precondition:
  // Decode succeeds. Takes time quadratic in the number of ids.
  void FindTargets(std::span<const int32_t> ids, std::span<char> text,
                   std::span<TokenLink> links) const;

  // Text of a target token, with U+2581 for a space; empty for an id outside
  // the target vocabulary. Lives as long as the model image.
  std::string_view Piece(int32_t id) const;

  const TokenizerView& view() const { return view_; }

 private:
  TokenizerView view_;
};

}  // namespace latimer

#endif  // LATIMER_TEXT_TOKENIZER_H_
