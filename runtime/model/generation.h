// What requests look up in a model's generation config.
#ifndef LATIMER_MODEL_GENERATION_H_
#define LATIMER_MODEL_GENERATION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/status.h"
#include "model/model_description.h"

namespace latimer {

// kInvalidArgument, which calls the token `what`, if it is not in the
// vocabulary.
Status CheckTargetId(const char* what, int32_t token, uint32_t vocabulary);

// An empty name stands for a task without a prefix or limits. Otherwise the
// task is one of the model's; kInvalidArgument: there is none.
Result<const Task*> FindTask(const GenerationConfig& config,
                             std::string_view name);

// The token of a language; `side` is "source" or "target". kInvalidArgument:
// there is none.
Result<int32_t> FindLanguage(const GenerationConfig& config, const char* side,
                             std::string_view code);

// Pads the first `count` of `ids`, unless there are none, to the fixed length
// of the model's sources, if it has one, and returns the number of all.
// Precondition: they fit.
size_t PadSource(const GenerationConfig& config, size_t count,
                 std::span<int32_t> ids);

// The source without its pads.
std::span<const int32_t> WithoutPads(const GenerationConfig& config,
                                     std::span<const int32_t> source);

}  // namespace latimer

#endif  // LATIMER_MODEL_GENERATION_H_
