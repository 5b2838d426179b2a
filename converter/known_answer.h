// A model file with the answer that shows whether a device computes rightly.
#ifndef LATIMER_CONVERTER_KNOWN_ANSWER_H_
#define LATIMER_CONVERTER_KNOWN_ANSWER_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/model_writer.h"

namespace latimer {

// A tile that this build and CPU have kernels for, with int4 also for such
// weights, the converter's default before others; none where there is none.
std::optional<Tile> TileForThisCpu(WeightType type = WeightType::kInt8,
                                   bool int4 = false);

// The file's own tile if this CPU has kernels for it, else another one with the
// same weights; none where there is none.
std::optional<Tile> TileToRun(const WriteOptions& options);

// A written file in a tile that can be run here: itself, or the model packed
// once more, beside options.file, for it may be too large for the memory.
class RunnableCopy {
 public:
  // `tile` of TileToRun(options), with which `file` was written.
  RunnableCopy(const CanonicalModel& model, const WriteOptions& options,
               const ModelBytes& file, Tile tile);

  const ModelBytes& bytes() const { return file_; }

 private:
  std::optional<OutputFile> place_;
  ModelBytes file_;
};

// WriteModel. With int8 weights the file gets a known answer: the model is run
// here, packed once more, beside options.file, where options.tile is for
// another CPU. Where this CPU has no kernels at all there is none, and
// `*warnings` says so. options.known_answer is not read.
ModelBytes WriteModelWithKnownAnswer(const CanonicalModel& model,
                                     const WriteOptions& options,
                                     std::vector<std::string>* warnings);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_KNOWN_ANSWER_H_
