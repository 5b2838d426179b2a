// How long a loaded model takes.
#ifndef LATIMER_CLI_TIMING_H_
#define LATIMER_CLI_TIMING_H_

#include <chrono>
#include <cstdint>
#include <vector>

#include "latimer/translator.h"

namespace latimer::cli {

using Clock = std::chrono::steady_clock;

double MillisecondsSince(Clock::time_point start);

struct Summary {
  double minimum;
  double median;
};

// Precondition: there are samples.
Summary Summarize(std::vector<double> samples);

// Translates the same source over and over, with one token and with all. The
// difference is what each further token takes; the rest is the encoder.
class Rounds {
 public:
  // Random source ids, and exactly so many tokens of each; within what the
  // translator allows. Borrows the translator.
  Rounds(Translator& translator, uint32_t source_tokens,
         uint32_t target_tokens);

  // One more round.
  Status Run();

  // In milliseconds. Precondition: a round was run.
  Summary encode() const;
  Summary per_token() const;
  Summary total() const;

 private:
  Status Time(uint32_t tokens, std::vector<double>* milliseconds);

  Translator& translator_;
  uint32_t target_tokens_;
  std::vector<int32_t> source_;
  std::vector<double> one_token_;
  std::vector<double> all_tokens_;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_TIMING_H_
