// Looks for the end of a sentence in a text.
#ifndef LATIMER_INTERNAL_SENTENCE_SCANNER_H_
#define LATIMER_INTERNAL_SENTENCE_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "latimer/internal/sentence_rules.h"

namespace latimer {

enum class SentenceEnd : uint8_t;  // latimer/streams.h

// The end of a sentence, counted from its beginning.
struct SentencePlace {
  size_t sentence = 0;  // Bytes without the white space after them.
  size_t bytes = 0;     // With it.
  SentenceEnd end = {};
};

class SentenceScanner {
 public:
  // What a line break is.
  enum class Lines : uint8_t {
    kWrapped,  // White space, unless a list or a blank line shows otherwise.
    kKept,     // The end of a sentence.
  };

  // `rules` view a model image that outlives this object.
  SentenceScanner(const SentenceRules& rules, Lines lines)
      : rules_(rules), lines_(lines) {}

  // Whether `text`, which begins with a sentence, shows where that ends; `all`:
  // nothing follows that could be read first. After false, call it with more of
  // the same text; after true, with the same text to find where the sentence
  // ends if not there. Takes time linear in the text.
  bool Scan(std::string_view text, bool all, SentencePlace* out);

  // The next text begins with another sentence.
  void Reset() { *this = SentenceScanner(rules_, lines_); }

 private:
  enum class Step : uint8_t { kGoOn, kFound, kNeedsMore };

  Step ScanSpace(std::string_view text, bool all, SentencePlace* out);
  Step ScanLetter(std::string_view text, bool all, SentencePlace* out);
  Step Found(size_t sentence, size_t bytes, SentenceEnd end,
             SentencePlace* out);

  SentenceRules rules_;
  Lines lines_;
  // The scanned bytes end with a stop that needs no white space after it; and
  // with quotes after that.
  bool after_stop_ = false;
  bool after_quote_ = false;
  size_t scanned_ = 0;  // No sentence ends before it.
};

}  // namespace latimer

#endif  // LATIMER_INTERNAL_SENTENCE_SCANNER_H_
