// From a request to its search: resolves TranslateOptions against the model's
// generation config.
#ifndef LATIMER_REQUEST_H_
#define LATIMER_REQUEST_H_

#include <cstdint>
#include <span>

#include "latimer/translation.h"
#include "model/model.h"
#include "search/length_limit.h"
#include "search/search_options.h"

namespace latimer {

// What a sentence brings to its search, beside the caller's options.
struct SearchRequest {
  std::span<const int32_t> source = {};
  bool is_text = false;  // The source is a text, not ids.
  // The first is free for a token that is forced as the first; empty: none.
  std::span<int32_t> target_prefix = {};
  PhraseList phrases = {};
  uint64_t deadline = 0;  // See SearchOptions.
};

// What there is room for.
struct SearchRoom {
  uint32_t target_tokens;
  uint32_t beams;
  uint64_t cached_tokens = kNoLimit;  // Of one sentence, with all its beams.
};

// Resolves everything that concerns the search. The result views what the
// arguments view. kInvalidArgument if the options name something that the model
// lacks, if there is no room for so many beams, or if nothing could follow the
// target prefix.
Status ResolveOptions(const Model& model, const TranslateOptions& options,
                      const SearchRequest& request, const SearchRoom& room,
                      SearchOptions* out);

}  // namespace latimer

#endif  // LATIMER_REQUEST_H_
