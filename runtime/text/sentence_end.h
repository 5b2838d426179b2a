// Whether a sentence ends at a place of a text.
#ifndef LATIMER_TEXT_SENTENCE_END_H_
#define LATIMER_TEXT_SENTENCE_END_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "latimer/sentence_splitter.h"

namespace latimer {

// Bits of a word's value in SentenceRules::words. Words are without their last
// period; one that begins with a capital of ASCII is also looked up without.
enum WordInSentence : uint32_t {
  // The word with a period is followed by more of the sentence: "Mr.", "e.g.".
  kNeverEnds = 1,
  // The same, if a digit follows: "No. 5".
  kBeforeNumber = 2,
  // An abbreviation that may be the last word, "etc."; it is where a kBegins
  // follows.
  kAbbreviation = 4,
  // A word that, with a capital, nearly always begins a sentence: "The".
  kBegins = 8,
  // A word though it is a single letter, "I": the period ends the sentence.
  kIsWord = 16,
};
inline constexpr uint32_t kWordInSentenceLimit = 32;

// Longest word that is looked up, in bytes.
inline constexpr size_t kMostWordBytes = 32;

enum class Verdict : uint8_t { kNo, kYes, kNeedsMore };

// Whether a sentence ends between `before`, which begins where it begins, and
// `after`; white space lies between. kNeedsMore where that depends on what
// follows `after`, and `all` is false; a few hundred bytes always do.
Verdict EndsAtSpace(const SentenceRules& rules, std::string_view before,
                    std::string_view after, bool all);

// Whether `after`, which begins a line, begins an item of a list that what
// stands `before` is not part of. As above.
Verdict BeginsListItem(std::string_view before, std::string_view after,
                       bool all);

// Stops that need no white space behind them: those of Chinese and Japanese,
// and the dandas and full stops of Indic, Arabic and other scripts.
bool IsUnspacedStop(uint32_t code_point);
// Whatever may follow a stop and belong to it: . ! ? and their like.
bool IsStop(uint32_t code_point);

}  // namespace latimer

#endif  // LATIMER_TEXT_SENTENCE_END_H_
