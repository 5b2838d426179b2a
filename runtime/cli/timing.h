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

// Valid source ids, neither EOS nor padding, the same on every machine.
std::vector<int32_t> RandomSource(const ModelInfo& info, uint32_t count);

struct Summary {
  double minimum;
  double median;
};

// Precondition: there are samples.
Summary Summarize(std::vector<double> samples);

// What is translated to see how long it takes.
struct Load {
  std::vector<std::vector<int32_t>> sources;
  // Exactly so many of each source; 0: until EOS.
  uint32_t target_tokens = 0;
};

// Translates a load over and over, each source by itself, with one token and
// with all. The difference is what each further token takes; the rest is the
// encoder.
class Rounds {
 public:
  // Sources and tokens within what the translator allows, one of each at least.
  // Borrows both.
  Rounds(Translator& translator, const Load& load)
      : translator_(translator), load_(load) {}

  // One more round.
  Status Run();

  // In milliseconds. Precondition: a round was run.
  Summary encode() const;
  Summary per_token() const;
  Summary per_sentence() const;

  // Target tokens of a round.
  uint64_t tokens() const { return tokens_; }

 private:
  Status Time(uint32_t tokens, std::vector<double>* milliseconds);

  Translator& translator_;
  const Load& load_;
  uint64_t tokens_ = 0;
  std::vector<double> one_token_;
  std::vector<double> all_tokens_;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_TIMING_H_
