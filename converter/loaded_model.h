// A model that is observed by a probe while it translates.
#ifndef LATIMER_CONVERTER_LOADED_MODEL_H_
#define LATIMER_CONVERTER_LOADED_MODEL_H_

#include <cstddef>
#include <memory>
#include <span>

#include "converter/error.h"
#include "latimer/translator.h"

namespace latimer {

class LoadedModel {
 public:
  // `which` names the model if it does not load: "f32". The image must outlive
  // this object.
  LoadedModel(std::span<const std::byte> image, const char* which) {
    const Status status =
        translator_.Load(image, workspace_.get(), {.verify_checksum = false});
    if (!status.ok()) {
      FailWith("The ", which, " model does not load: ", status.message());
    }
  }

  Translator& translator() { return translator_; }

 private:
  const std::unique_ptr<Workspace> workspace_{new Workspace};  // Not zeroed.
  Translator translator_;
};

// Threads that have a model each: more do not help because memory bandwidth is
// the limit.
inline constexpr size_t kMostLoadedModels = 16;

// How an observed model searches: greedily, since a probe observes one row a
// step, and whatever the model's own number of beams is.
inline TranslateOptions GreedySearch(bool scores) {
  return {.sentences = false,
          .beams = 1,
          .keep_unknown = false,
          .scores = scores,
          .guards = false};
}

}  // namespace latimer

#endif  // LATIMER_CONVERTER_LOADED_MODEL_H_
