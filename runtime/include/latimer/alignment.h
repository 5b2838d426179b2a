// Which bytes of a source each token of its translation comes from.
//
// The cross-attention of one layer of the decoder, of one head or the mean of
// all, says which source token has the largest weight for a target token;
// tokens that the model puts around a text do not count. Which attention aligns
// best, the converter measures (--align-text); otherwise it is that of the last
// layer but one, or of up to three layers the last. With beams, the result is
// decoded once more. The bytes of a token are those of Hugging Face's
// tokenizers and of SentencePiece.
#ifndef LATIMER_ALIGNMENT_H_
#define LATIMER_ALIGNMENT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace latimer {

// The bytes [begin, end) of a text.
struct TextRange {
  uint32_t begin = 0;
  uint32_t end = 0;

  // In bytes.
  uint32_t size() const { return end - begin; }
};

// A token of a translation, without white space at its ends; empty for tokens
// that have no text, such as EOS. If ids were translated, both are ranges of
// ids.
struct TokenLink {
  TextRange target;  // In Translation::text.
  // In the text that was translated: of the part, if it was translated in
  // parts. The source token that the decoder attended to most when it chose
  // the target token; empty if there is none.
  TextRange source;
};

// A word of a translation and the word of the source that most of its tokens
// come from, the first of them if there are several. A word is what stands
// between white space; both are counted from 0.
struct WordLink {
  uint32_t source = 0;
  uint32_t target = 0;
};

// The links of the words of a translation, in their order, without those none
// of whose tokens has a source. `source` and `target` are the texts that the
// ranges of `links` are in. Writes as many as there is room for, and returns
// how many there are, at most as many as tokens.
size_t LinkWords(std::string_view source, std::string_view target,
                 std::span<const TokenLink> links, std::span<WordLink> out);

// How many words a text has.
size_t CountWords(std::string_view text);

// Instead of a source token: there is none.
inline constexpr uint16_t kNotAligned = 0xFFFF;

// The cross-attention that aligns tokens best.
struct AlignmentHead {
  uint32_t layer = 0;  // Of the decoder, from 0.
  int32_t head = -1;   // -1: the mean of all heads.
  // A target token is aligned by the step that reads it, not by the one that
  // chooses it. In lower layers that is the better one.
  bool reads = false;
};

}  // namespace latimer

#endif  // LATIMER_ALIGNMENT_H_
