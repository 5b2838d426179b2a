// From the canonical model to the bytes of a .ltm file.
#ifndef LATIMER_CONVERTER_MODEL_WRITER_H_
#define LATIMER_CONVERTER_MODEL_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "converter/canonical_model.h"
#include "converter/output_file.h"
#include "converter/quantize.h"
#include "model/certificate.h"
#include "model/model_description.h"
#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

struct WriteOptions {
  WeightType weights = WeightType::kInt8;
  // Layouts of the linear layers for int8 and for f32 weights; f16 has only
  // one.
  Tile tile = Tile::k8x8;
  Tile f32_tile = Tile::k8x1;
  // Stores an int8 output matrix for a pruned argmax if its shape allows it and
  // greedy search would use it.
  bool pruned_argmax = true;
  // Number of weights of the smallest matrix that is stored so. A smaller one
  // fits in a cache, where halving its bytes saves nothing and the additional
  // instructions cost time.
  uint64_t smallest_pruned = uint64_t{1} << 20;
  // The types of an int8 model's matrices that are not int8. Borrowed; null:
  // none. One without has_rows is for no matrix that IsLookedUp.
  const MatrixTypes* types = nullptr;
  // The type of the others, integers.
  WeightType other_types = WeightType::kInt8;
  // The integers of quantized matrices, where they are not those of
  // QuantizeToNearest. Borrowed; null: none.
  const QuantizedMatrices* quantized = nullptr;
  // Borrowed; see converter/known_answer.h.
  KnownAnswer known_answer = {};
  // Reserves room for SetAlignment; until then it is the default.
  bool alignment = false;
  // Reserves room for a certificate; see SetCertificate.
  bool certificate = false;
  // Writes into this file without committing it. Borrowed; Reserve must not
  // have been called. Null: writes into memory.
  OutputFile* file = nullptr;
  // Zero bytes that `file` gets after the model, for a signature.
  size_t bytes_behind = 0;
  // Called with the bytes done and the total, by one thread at a time.
  std::function<void(uint64_t done, uint64_t total)> progress;
};

// The finished file. Owns its memory, except if it was written into an
// OutputFile: then it lives as long as that.
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
// model and options give the same bytes. Needs a few MB of memory in addition
// to the file. Throws ConversionError if the model exceeds the format or the
// profile of this build, before any work, or if a weight is not finite.
ModelBytes WriteModel(const CanonicalModel& model, const WriteOptions& options);

// Bytes that the tensors (without biases), the tokenizer and the shortlist take
// in the file.
uint64_t DataBytes(const CanonicalModel& model, const WriteOptions& options);

// Reads a finished file as the runtime will, which proves that it loads.
ModelDescription ReadInfo(std::span<const std::byte> file,
                          bool verify_checksum);

// Replaces the known answer's target ids by at most as many others, and updates
// the checksum.
void SetKnownTarget(const ModelBytes& file, std::span<const int32_t> target);

// Stores what aligns tokens in the room that WriteOptions::alignment reserved,
// and updates the checksum.
void SetAlignment(const ModelBytes& file, const AlignmentHead& head);

// Stores a certificate in the room that WriteOptions::certificate reserved, and
// updates the checksum. Precondition: it is a certificate of this model with no
// more entries than certificate.h allows.
void SetCertificate(const ModelBytes& file, const Certificate& certificate);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_MODEL_WRITER_H_
