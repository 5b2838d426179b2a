// BLEU and chrF2 with one reference, equal to sacrebleu 2.6.0 with its
// defaults: BLEU with the tokenizer 13a and exponential smoothing; chrF of 1 to
// 6 characters, without words, beta 2.
#ifndef LATIMER_CONVERTER_TEXT_METRICS_H_
#define LATIMER_CONVERTER_TEXT_METRICS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace latimer {

// The words of a segment by sacrebleu's tokenizer 13a. A byte that is not UTF-8
// counts as U+FFFD.
std::vector<std::u32string> Tokenize13a(std::string_view segment);

// The counts that BLEU is computed from. Those of a text are the sums of its
// segments'.
struct BleuCounts {
  static constexpr int kOrders = 4;
  uint64_t words = 0;
  uint64_t reference_words = 0;
  std::array<uint64_t, kOrders> correct{};
  std::array<uint64_t, kOrders> total{};

  BleuCounts& operator+=(const BleuCounts& other);
};

BleuCounts CountBleu(std::string_view translation, std::string_view reference);

// 0 to 100: Papineni et al., "BLEU: a Method for Automatic Evaluation of
// Machine Translation", 2002, smoothed as NIST's mteval-v13a.
double Bleu(const BleuCounts& counts);

// The counts that chrF is computed from, as above.
struct ChrfCounts {
  static constexpr int kOrders = 6;
  std::array<uint64_t, kOrders> translation{};
  std::array<uint64_t, kOrders> reference{};
  std::array<uint64_t, kOrders> match{};

  ChrfCounts& operator+=(const ChrfCounts& other);
};

ChrfCounts CountChrf(std::string_view translation, std::string_view reference);

// 0 to 100: Popovic, "chrF: character n-gram F-score for automatic MT
// evaluation", 2015, averaged over the orders that both sides have.
double Chrf(const ChrfCounts& counts);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_TEXT_METRICS_H_
