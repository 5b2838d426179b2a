// The lexical shortlist: the words of a source limit those of its
// translation, so that most of the output matrix need not be read.
//
// A step computes the blocks of 16 logits that hold an allowed token; all
// other logits are -inf. Several sentences share the blocks that more than one
// of them needs.
#ifndef LATIMER_SEARCH_SHORTLIST_H_
#define LATIMER_SEARCH_SHORTLIST_H_

#include <cstdint>
#include <span>

#include "model/model.h"

namespace latimer {

// Sets in masks [V / 16] the bits of the target tokens that may translate this
// source. The tokens are those of Marian's BinaryShortlistGenerator
// (browsermt/marian-dev, src/data/shortlist.cpp) for one sentence, but not
// filled up to a multiple of eight. Called once per sentence. Precondition: the
// model has a shortlist.
void FillShortlist(const Model& model, std::span<const int32_t> source,
                   uint16_t* masks);

}  // namespace latimer

#endif  // LATIMER_SEARCH_SHORTLIST_H_
