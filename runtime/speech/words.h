// The words of a text that was heard: what they are and when they are said, as
// in OpenAI's add_word_timestamps() and split_to_word_tokens().
//
// Until it is complete, TranscriptionWord::start and end count hundredths of a
// second: whole numbers, which are exact.
#ifndef LATIMER_SPEECH_WORDS_H_
#define LATIMER_SPEECH_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/transcriber.h"
#include "speech/alignment.h"
#include "text/tokenizer.h"

namespace latimer {

using Words = std::span<TranscriptionWord>;

// Whether words of a language, by its code, have spaces between them.
bool HasSpaces(std::string_view language);

// What the text of a segment is made of.
struct SegmentTokens {
  std::string_view text;            // Of its tokens, in a row.
  std::span<const int32_t> tokens;  // Of text only.
  // Of these and of what follows them, [tokens.size() + 1].
  std::span<const AlignedToken> aligned;
};

// Writes the words of a segment to `room`, one for each token at most; without
// `spaces`, each character is one. Decodes tokens in `scratch`. `offset`: where
// the window begins.
Words SplitWords(const Tokenizer& tokenizer, const SegmentTokens& segment,
                 bool spaces, double offset, std::span<char> scratch,
                 Words room);

// Half of what a word of a window may last: the median, at most 0.7 seconds.
double UsualDuration(Words words);

// Bounds words beside the end of a sentence by twice the usual duration.
void BoundWords(double usual, Words words);

// Joins marks with the words that they belong to. Returns what is left.
Words JoinMarks(Words words);

// Where speech ended, and a segment, in hundredths of a second.
struct SegmentTimes {
  double last_speech;
  double start;
  double end;
};

// Bounds the first and the last words of a segment, and moves its ends to
// theirs, unless those are farther than half a second outside. `last_speech`
// becomes where it ends.
void FitWords(double usual, Words words, SegmentTimes* segment);

}  // namespace latimer

#endif  // LATIMER_SPEECH_WORDS_H_
