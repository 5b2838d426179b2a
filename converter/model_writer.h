// From the canonical model to the bytes of a .ltm file.
#ifndef LATIMER_CONVERTER_MODEL_WRITER_H_
#define LATIMER_CONVERTER_MODEL_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "converter/canonical_model.h"
#include "latimer/model_info.h"
#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

struct WriteOptions {
  WeightType weights = WeightType::kInt8;
  // Of the linear layers: one for int8 weights, one for f32.
  Tile tile = Tile::k8x8;
  Tile f32_tile = Tile::k8x1;
  // Borrowed; see converter/known_answer.h.
  KnownAnswer known_answer = {};
  // Called with what is done and the whole, in bytes.
  std::function<void(uint64_t done, uint64_t total)> progress;
};

// The finished file. Movable; frees its memory when it goes.
class ModelBytes {
 public:
  ModelBytes(std::shared_ptr<const void> owner,
             std::span<const std::byte> bytes)
      : owner_(std::move(owner)), bytes_(bytes) {}

  // 64-byte aligned.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
};

// Quantizes and packs every tensor in the order of tensor_list.h. The same
// model and options give the same bytes. Throws ConversionError if the model
// exceeds the format or the profile `any`, or a weight is not finite.
ModelBytes WriteModel(const CanonicalModel& model, const WriteOptions& options);

// Puts other target ids in the place of those that the file was written with,
// as many, and makes its checksum right.
void SetKnownTarget(const ModelBytes& file, std::span<const int32_t> target);

// Writes to a temporary name beside `path`, syncs, and renames, so that no
// partial file is ever seen under `path`. Throws ConversionError.
void WriteFileAtomically(const std::filesystem::path& path,
                         std::span<const std::byte> bytes);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_MODEL_WRITER_H_
