// From the canonical model to the bytes of a .ltm file.
#ifndef LATIMER_CONVERTER_MODEL_WRITER_H_
#define LATIMER_CONVERTER_MODEL_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "converter/canonical_model.h"
#include "converter/int4_weights.h"
#include "converter/output_file.h"
#include "latimer/certificate.h"
#include "latimer/model_info.h"
#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

struct WriteOptions {
  WeightType weights = WeightType::kInt8;
  // Of the linear layers: one for int8 weights, one for f32; f16 has one only.
  Tile tile = Tile::k8x8;
  Tile f32_tile = Tile::k8x1;
  // Writes an int8 output matrix for a pruned argmax, where it can be and
  // greedy search would use it.
  bool pruned_argmax = true;
  // Weights of the smallest that is. Fewer are in a cache and their product
  // takes few microseconds; half of the bytes and more instructions save
  // nothing there.
  uint64_t smallest_pruned = uint64_t{1} << 20;
  // With int8 weights: the matrices that are int4. Borrowed; null: none.
  const Int4Matrices* int4 = nullptr;
  // Borrowed; see converter/known_answer.h.
  KnownAnswer known_answer = {};
  // Makes room for a certificate; see SetCertificate.
  bool certificate = false;
  // Where the file is made, not committed; borrowed, and Reserve has not been
  // called. Null: in memory.
  OutputFile* file = nullptr;
  // Bytes that `file` has behind the model, for a signature; zeros.
  size_t bytes_behind = 0;
  // Called with what is done and the whole, in bytes, by one thread at a time.
  std::function<void(uint64_t done, uint64_t total)> progress;
};

// The finished file. Movable; frees its memory when it goes. What was made in
// an OutputFile lives as long as that.
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
// model and options give the same bytes. Beside the file itself it takes a few
// MB of memory. Throws ConversionError if the model exceeds the format or the
// profile `any`, before any work, or if a weight is not finite.
ModelBytes WriteModel(const CanonicalModel& model, const WriteOptions& options);

// What the tensors, without biases, the tokenizer and the shortlist will take
// in the file.
uint64_t DataBytes(const CanonicalModel& model, const WriteOptions& options);

// Puts other target ids in the place of those that the file was written with,
// as many, and makes its checksum right.
void SetKnownTarget(const ModelBytes& file, std::span<const int32_t> target);

// Puts a certificate in the place that the file was written with, as
// WriteOptions::certificate says, and makes its checksum right. Precondition:
// it is one of this model, and has no more entries than certificate.h allows.
void SetCertificate(const ModelBytes& file, const Certificate& certificate);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_MODEL_WRITER_H_
