// The rules of a model file that SentenceSplitter takes.
#ifndef LATIMER_INTERNAL_SENTENCE_RULES_H_
#define LATIMER_INTERNAL_SENTENCE_RULES_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace latimer {

// What a model file knows about the sentences of its source language. If empty,
// only rules that hold for any language apply.
struct SentenceRules {
  // Codes of the languages, "en de". Views the image, like `words`.
  std::string_view languages;
  // Such as abbreviations and titles, for SentenceSplitter only.
  std::span<const uint32_t> words;
  // Whether "1." may be an ordinal, as in German.
  bool ordinals = false;
};

}  // namespace latimer

#endif  // LATIMER_INTERNAL_SENTENCE_RULES_H_
