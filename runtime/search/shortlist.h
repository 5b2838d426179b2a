// The lexical shortlist: the words of a source limit those of its
// translation, so that most of the output matrix need not be read.
//
// When a sentence begins, the rows of the tokens that it allows are copied out
// of the output matrix, and each step multiplies by those. Where they have no
// room, a step multiplies by the whole matrix, and the logits of all other
// tokens become -inf.
#ifndef LATIMER_SEARCH_SHORTLIST_H_
#define LATIMER_SEARCH_SHORTLIST_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "search/logits_processors.h"
#include "transformer/engine.h"
#include "transformer/step_context.h"

namespace latimer {

// The tokens that a sentence may have.
struct AllowedTokens {
  const uint16_t* masks = nullptr;  // [V / 16], a bit for each; null: all.
  // Their rows of the output matrix in the order of `tokens`, their ascending
  // ids; none, n = 0: all tokens are allowed, or these have no room.
  Linear rows;
  const uint32_t* tokens = nullptr;  // [rows.n]

  bool gathered() const { return kProfile.shortlist && rows.n > 0; }
};

// The target tokens that may translate this source, in the memory of a lane.
// They are those of Marian's BinaryShortlistGenerator (browsermt/marian-dev,
// src/data/shortlist.cpp) for one sentence, but not filled up to a multiple of
// eight. Called once per pass. Precondition: the model has a shortlist.
AllowedTokens AllowTokens(const Engine& engine, const Buffers& workspace,
                          std::span<const int32_t> source, size_t lane);

// Makes logits of the allowed tokens, [rows.n] in `logits`, those of all
// tokens, [vocabulary] in the same place: -inf for the others.
void SpreadLogits(const AllowedTokens& allowed, std::span<float> logits);

// Makes logits -inf that belong to no allowed token.
void BanOthers(const AllowedTokens& allowed, const LogitWindow& window);

}  // namespace latimer

#endif  // LATIMER_SEARCH_SHORTLIST_H_
