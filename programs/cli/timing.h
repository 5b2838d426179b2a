// Measures how long a loaded model takes.
#ifndef LATIMER_CLI_TIMING_H_
#define LATIMER_CLI_TIMING_H_

#include <chrono>
#include <cstdint>
#include <vector>

#include "internals.h"
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

// The sources that are translated for a measurement.
struct Load {
  std::vector<std::vector<int32_t>> sources;
  // Of a model that reads speech: what is heard in place of the source, whose
  // ids count positions.
  std::vector<float> sound = {};
  // Tokens to generate for each source, exactly; 0: until EOS.
  uint32_t target_tokens = 0;
  uint32_t beams = 1;
};

// One source of valid ids without EOS and padding, or one sound, the same on
// every machine.
Load RandomLoad(const ModelDescription& info, uint32_t source_tokens,
                uint32_t target_tokens);

// Translates each source of a load by itself, or hears its sound, with
// `target_tokens` in the place of the load's, and returns the number of target
// tokens. `times`, unless null, receives the time of each operation.
Result<uint64_t> TranslateLoad(Translator& translator, const Load& load,
                               uint32_t target_tokens,
                               OperationTimes* times = nullptr);

// In milliseconds.
struct Timing {
  Summary encode;
  Summary per_token;
  Summary per_sentence;
  uint64_t tokens;  // Target tokens of one round.
};

// Translates a load in up to `rounds` rounds, once with one target token and
// once with all. The difference is the time of the further tokens; the rest is
// the encoder's. Begins no round after `milliseconds`. The load is not empty.
// Errors: those of Translator::TranslateIds
// and Internals::HearSound.
Result<Timing> MeasureLoad(Translator& translator, const Load& load,
                           uint32_t rounds, double milliseconds);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_TIMING_H_
