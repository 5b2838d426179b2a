// Draws the next token instead of taking the best one: temperature, top-k and
// top-p as the logits warpers of transformers 5.23 apply them. The same tokens
// on every CPU and system.
#ifndef LATIMER_SEARCH_SAMPLING_H_
#define LATIMER_SEARCH_SAMPLING_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/options.h"
#include "transformer/engine.h"

namespace latimer {

// Processed logits become the probabilities that are drawn from: 0 for a token
// that top-k or top-p leaves out. All tokens that are as likely as the last one
// that stays do, too.
void WarpLogits(const Engine& engine, const Sampling& sampling,
                std::span<float> logits);

// A number in [0, 1), the same for the same arguments. The numbers of different
// streams and positions are independent.
double RandomNumber(const Sampling& sampling, uint64_t position);

// The token that `number` falls on if the tokens, in the order of their ids,
// divide [0, 1) by their probabilities.
size_t TokenAt(std::span<const float> probabilities, double number);

}  // namespace latimer

#endif  // LATIMER_SEARCH_SAMPLING_H_
