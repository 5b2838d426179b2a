// Which bytes of a source each token of its translation comes from.
#ifndef LATIMER_ALIGNMENT_H_
#define LATIMER_ALIGNMENT_H_

#include <cstdint>

namespace latimer {

// The bytes [begin, end) of a text.
struct TextRange {
  uint32_t begin = 0;
  uint32_t end = 0;

  uint32_t size() const { return end - begin; }
};

// A token of a translation, without white space at its ends; empty for tokens
// that have no text, such as EOS.
struct TokenLink {
  TextRange target;  // In Translation::text.
  // In the text that was translated: of the part, if it was translated in
  // parts. The source token that the decoder attended to most when it chose
  // the target token; empty if there is none.
  TextRange source;
};

// Instead of a source token: there is none.
inline constexpr uint16_t kNotAligned = 0xFFFF;

// The cross-attention that aligns tokens best.
struct AlignmentHead {
  uint32_t layer = 0;  // Of the decoder, from 0.
  int32_t head = -1;   // -1: the mean of all heads.
  // A target token is aligned by the step that reads it, not by the one that
  // chooses it.
  bool reads = false;
};

}  // namespace latimer

#endif  // LATIMER_ALIGNMENT_H_
