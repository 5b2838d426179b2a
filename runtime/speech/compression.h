// How well a text compresses, which tells whether it repeats itself.
#ifndef LATIMER_SPEECH_COMPRESSION_H_
#define LATIMER_SPEECH_COMPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace latimer {

// What CompressionRatio() writes to while it runs.
struct CompressionScratch {
  uint32_t symbols[286];   // How often DEFLATE has each literal or length,
  uint32_t distances[30];  // and each class of distances.
};

// The bytes of a text, divided by an estimate of what zlib makes of them: the
// original's measure. The estimate looks for repetitions within 2,048 bytes and
// takes the entropy of the symbols for the length of their codes. Of texts as
// Whisper writes them, it is mostly within 5 % of zlib's. 0 for no text. Takes
// time in proportion to the text.
float CompressionRatio(std::string_view text, CompressionScratch* scratch);

}  // namespace latimer

#endif  // LATIMER_SPEECH_COMPRESSION_H_
