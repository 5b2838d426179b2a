// What published figures of a board say a token takes there. No board was
// timed for it.
#ifndef LATIMER_REPORT_PREDICTION_H_
#define LATIMER_REPORT_PREDICTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "base/board.h"
#include "internals.h"

namespace latimer::cli {

// Milliseconds per generated token of a short sentence.
struct Prediction {
  uint32_t threads;
  double memory;  // Reading the weights.
  double cpu;     // Computing, on one core.
  // If reading hides computing or the reverse, and each thread adds a core.
  double low;
  // If nothing is hidden, and each further thread adds half a core.
  double high;
};

// Nothing if the board has no published figures, or weights are floats.
std::optional<Prediction> PredictToken(const Board& board,
                                       const ModelDescription& info,
                                       uint32_t threads);

// About two digits, without the unit.
std::string MillisecondsText(double ms);

// "3.1 to 5.2 ms".
std::string BandText(const Prediction& p);

}  // namespace latimer::cli

#endif  // LATIMER_REPORT_PREDICTION_H_
