// What published figures of a board say a token, or a window of speech, takes
// there. No board was timed for it.
#ifndef LATIMER_REPORT_PREDICTION_H_
#define LATIMER_REPORT_PREDICTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "base/board.h"
#include "internals.h"

namespace latimer::cli {

// Milliseconds per generated token of a short sentence, or per window.
struct Prediction {
  uint32_t threads;
  double memory;  // Reading the weights, of speech keys and values, too.
  double cpu;     // Computing, on one core.
  // If reading hides computing or the reverse, and each thread adds a core.
  double low;
  // If nothing is hidden, and each further thread adds half a core.
  double high;
};

// Bytes of weights that a token reads and, of a model that reads speech, of
// keys and values of a whole window in int8.
uint64_t BytesPerToken(const ModelDescription& info);

// Nothing if the board has no published figures, or weights are floats.
std::optional<Prediction> PredictToken(const Board& board,
                                       const ModelDescription& info,
                                       uint32_t threads);

// Positions of the encoder in a second of speech.
inline constexpr double kPositionsPerSecond = 50;
// What a speaker says in 30 s is assumed to have so many tokens.
inline constexpr double kTokensPer30Seconds = 100;

struct SpeechPrediction {
  double seconds;     // Of speech in a window.
  double tokens;      // Assumed of its text.
  Prediction window;  // From sound to keys and values.
  Prediction token;   // Of the text.
  // Seconds of speech that are read per second.
  double low;
  double high;
};

// Nothing if PredictToken predicts nothing, the model reads text, or the board
// has no figure for speech.
std::optional<SpeechPrediction> PredictSpeech(const Board& board,
                                              const ModelDescription& info,
                                              uint32_t threads);

// About two digits of milliseconds, say, without the unit.
std::string DigitsText(double number);

// "3.1 to 5.2 ms".
std::string BandText(const Prediction& p);

}  // namespace latimer::cli

#endif  // LATIMER_REPORT_PREDICTION_H_
