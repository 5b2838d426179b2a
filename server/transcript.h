// What OpenAI's interface answers about a recording.
#ifndef LATIMER_SERVER_TRANSCRIPT_H_
#define LATIMER_SERVER_TRANSCRIPT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "speech.h"

namespace latimer::server {

enum class TranscriptFormat : uint8_t {
  kJson,
  kText,
  kVerboseJson,
  kSubRip,
  kWebVtt
};

// By a name such as "verbose_json"; "" is kJson.
std::optional<TranscriptFormat> TranscriptFormatOf(std::string_view name);

// Memory of a segment in the longest format, besides its text, and of a word.
inline constexpr size_t kTranscriptSegmentBytes = 4096;
inline constexpr size_t kTranscriptWordBytes = 1024;

// `words`: those of verbose_json, too.
std::string WriteTranscript(TranscriptFormat format, const Spoken& spoken,
                            bool translates, bool words);
const char* MediaTypeOf(TranscriptFormat format);

}  // namespace latimer::server

#endif  // LATIMER_SERVER_TRANSCRIPT_H_
