// Logarithms that have the same bits on every CPU and with every C library.
#ifndef LATIMER_SEARCH_LOG_PROBABILITY_H_
#define LATIMER_SEARCH_LOG_PROBABILITY_H_

#include <cstddef>
#include <span>

#include "transformer/engine.h"

namespace latimer {

// The natural logarithm of a normal number, to about 1e-15.
double Log(double x);

// base ^ exponent, rounded once; 0 if it is too small for a float, and infinite
// if it is too large. base >= 1.
float Power(size_t base, float exponent);

// The logarithm of a sum of exp(x), from pieces of it.
class LogSum {
 public:
  // Adds the logits of a window that begins at a multiple of kLogitWindow. -inf
  // adds nothing. They are summed in pieces of kLogitWindow, so the bits do not
  // depend on how the vocabulary is divided into windows.
  void Add(const Engine& engine, std::span<const float> logits);

  // The logarithm of exp(x) / sum.
  float LogProbability(float x) const { return (x - max_) - log_; }

  // Once all numbers are added.
  void Finish();

 private:
  void AddPiece(const Engine& engine, std::span<const float> piece);

  float max_ = 0.0f;  // Of all numbers, unless sum_ is 0.
  float sum_ = 0.0f;  // Of exp(x - max_).
  float log_ = 0.0f;
};

}  // namespace latimer

#endif  // LATIMER_SEARCH_LOG_PROBABILITY_H_
