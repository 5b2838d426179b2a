// Whether a sentence ends at a given place in a text.
#ifndef LATIMER_TEXT_SENTENCE_END_H_
#define LATIMER_TEXT_SENTENCE_END_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "latimer/model_info.h"

namespace latimer {

// Bits of a word's value in SentenceRules::words. Words lack their last period.
// A word that begins with an ASCII capital is also looked up in lower case.
enum WordInSentence : uint32_t {
  // With a period, more of the sentence follows: "Mr.", "e.g.".
  kNeverEnds = 1,
  // The same if a digit follows: "No. 5".
  kBeforeNumber = 2,
  // An abbreviation that may be the last word, "etc."; it is if a kBegins word
  // follows.
  kAbbreviation = 4,
  // A word that nearly always begins a sentence if it has a capital: "The".
  kBegins = 8,
  // Not an initial although it is a single letter, "I": the period ends the
  // sentence.
  kIsWord = 16,
};
inline constexpr uint32_t kWordInSentenceLimit = 32;

// Longest word that is looked up, in bytes.
inline constexpr size_t kMostWordBytes = 32;

enum class Verdict : uint8_t { kNo, kYes, kNeedsMore };

// Whether a sentence ends between `before`, which begins with the sentence, and
// `after`, which white space separates. kNeedsMore if that depends on what
// follows `after`, unless `all` says that nothing follows. A few hundred bytes
// of `after` are always enough.
Verdict EndsAtSpace(const SentenceRules& rules, std::string_view before,
                    std::string_view after, bool all);

// Whether `after`, which begins a line, begins a new item of a list. Arguments
// as above.
Verdict BeginsListItem(std::string_view before, std::string_view after,
                       bool all);

// Stops that need no white space after them: those of Chinese and Japanese, and
// the dandas and full stops of Indic, Arabic and other scripts.
bool IsUnspacedStop(uint32_t code_point);
// Those, and . ! ? and the like.
bool IsStop(uint32_t code_point);

}  // namespace latimer

#endif  // LATIMER_TEXT_SENTENCE_END_H_
