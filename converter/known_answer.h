// Adds a known answer to a model file: a source and its translation, with which
// a device can check that it computes correctly.
#ifndef LATIMER_CONVERTER_KNOWN_ANSWER_H_
#define LATIMER_CONVERTER_KNOWN_ANSWER_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/model_writer.h"

namespace latimer {

// A tile that this build and this CPU have kernels for, preferably the
// converter's default; none if there is no such tile. With `int4` its kernels
// must also support int4 weights.
std::optional<Tile> TileForThisCpu(WeightType type = WeightType::kInt8,
                                   bool int4 = false);

// The file's tile if this CPU has kernels for it, else another tile for the
// same type of weights; none if there is no such tile.
std::optional<Tile> TileToRun(const WriteOptions& options);

// A written file in a tile that can run here: the file itself, or else the
// model packed again, into a file next to options.file because memory may not
// hold it.
class RunnableCopy {
 public:
  // `file` was written with `options`, and `tile` is TileToRun(options).
  RunnableCopy(const CanonicalModel& model, const WriteOptions& options,
               const ModelBytes& file, Tile tile);

  const ModelBytes& bytes() const { return file_; }

 private:
  std::optional<OutputFile> place_;
  ModelBytes file_;
};

// Calls WriteModel and, for int8 weights, adds a known answer, for which it
// runs the model; if options.tile is for another CPU, it runs a RunnableCopy.
// If this CPU has no kernels at all, there is no known answer, and `*warnings`
// says so. Ignores options.known_answer. Throws ConversionError if the model's
// logits are not finite, as those of a training that has diverged.
ModelBytes WriteModelWithKnownAnswer(const CanonicalModel& model,
                                     const WriteOptions& options,
                                     std::vector<std::string>* warnings);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_KNOWN_ANSWER_H_
