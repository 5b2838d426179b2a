// Beam search, with the rules of Hugging Face's generate().
//
// A search keeps the K most likely beginnings of a translation, its beams, and
// extends each by one token at a time. A hypothesis is a beam that has ended.
// Its score is the sum of its tokens' log-probabilities, divided by their
// number, EOS included, to the power of the length penalty. The tokens of a
// target prefix do not count.
#ifndef LATIMER_BEAM_SEARCH_H_
#define LATIMER_BEAM_SEARCH_H_

#include <cstdint>
#include <span>

namespace latimer {

// When a search ends that has K hypotheses.
enum class EarlyStopping : uint8_t {
  kHeuristic,  // The best beam, if it ended now, would score lower than all of
               // them: generate()'s early_stopping=False.
  kAlways,     // At once: True.
  kNever,      // No beam can score higher any more, however long: "never".
};

// How the makers of a model search.
struct BeamRule {
  uint32_t beams = 1;  // 1: greedy search.
  // Above 0 prefers long translations, below 0 short ones.
  float length_penalty = 1.0f;
  EarlyStopping early_stopping = EarlyStopping::kHeuristic;
  // Whether the probability of tokens that are forbidden goes to the others:
  // renormalize_logits.
  uint8_t renormalize = 0;
  uint16_t reserved = 0;
};

// One of the translations that a search found.
struct Hypothesis {
  std::span<const int32_t> tokens = {};  // EOS included if it was produced.
  float score = 0.0f;
};

}  // namespace latimer

#endif  // LATIMER_BEAM_SEARCH_H_
