#include "converter/tensor_packer.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/half.h"
#include "converter/all_cores.h"
#include "converter/error.h"
#include "converter/quantize.h"
#include "converter/source_tensor.h"
#include "ops/nibble/pack.h"
#include "ops/nibble/planes.h"
#include "ops/xnnpack/pack.h"

namespace latimer {
namespace {

// Numbers that a thread packs at a time, unless a few blocks have more.
constexpr uint64_t kChunkNumbers = 1 << 20;
// A matrix is divided after this many blocks of nr channels, which fill whole
// units of kPackedAlignment, as PackMatrix needs.
constexpr uint64_t kBlocksOfUnit = kPackedAlignment / sizeof(float);

// Rows [begin, begin + rows) of a job's matrix.
struct Chunk {
  const PackJob* job;
  uint64_t begin;
  uint64_t rows;
};

// The kernels' sums are exact only for these.
void CheckInRange(std::span<const int8_t> integers, const std::string& name) {
  if (std::ranges::find(integers, int8_t{-128}) != integers.end()) {
    FailWith("Tensor ", name,
             " holds the integer -128, and int8 weights are -127 to 127; "
             "convert with --weights f32.");
  }
}

void CheckFitsF16(std::span<const float> values, const std::string& name) {
  for (const float value : values) {
    if (std::fabs(value) < kHalfOverflow) continue;
    FailWith("Tensor ", name, " has the weight ", value,
             ", and f16 ends at 65504; convert with --weights f32.");
  }
}

// The bounds of logits grow with the sums that they are computed from.
void CheckNotNegative(const SourceTensor& source, float scale) {
  if (scale >= 0) return;
  FailWith("Tensor ", source.name,
           " has a scale below zero; convert with --no-pruned-argmax.");
}

class Packer {
 public:
  explicit Packer(Tile tile) : tile_(tile) {}

  std::vector<Chunk> Cut(std::span<const PackJob> jobs) const {
    std::vector<Chunk> chunks;
    for (const PackJob& job : jobs) {
      LATIMER_CHECK(job.out.size() == BytesOf(job, job.rows));
      const uint64_t unit = job.nibbles
                                ? kNibbleBlockRows
                                : kBlocksOfUnit * ShapeOf(job.type, tile_).nr;
      const uint64_t most =
          std::max(unit, kChunkNumbers / job.columns / unit * unit);
      for (uint64_t begin = 0; begin < job.rows; begin += most) {
        chunks.push_back({&job, begin, std::min(most, job.rows - begin)});
      }
    }
    return chunks;
  }

  // Returns the bytes written.
  uint64_t Pack(const Chunk& chunk) const {
    const PackJob& job = *chunk.job;
    const uint64_t k = job.columns;
    const bool floats = !IsInteger(job.type);
    std::vector<float> values(floats ? chunk.rows * k : k);
    std::vector<int8_t> quantized(floats ? 0 : chunk.rows * k);
    std::vector<float> scales(floats ? 0 : chunk.rows);
    if (const QuantizedMatrix* given = job.quantized) {
      std::copy_n(given->integers.data() + chunk.begin * k, quantized.size(),
                  quantized.data());
      std::copy_n(given->scales.data() + chunk.begin, scales.size(),
                  scales.data());
    } else {
      for (uint64_t i = 0; i < chunk.rows; ++i) {
        if (floats) {
          ReadFloats(job, chunk.begin + i, std::span(values).subspan(i * k, k));
        } else {
          scales[i] = QuantizeRow(job, chunk.begin + i, values,
                                  std::span(quantized).subspan(i * k, k));
        }
      }
      Forget(chunk);
    }
    if (job.nibbles) {
      PackNibblePlanes(job.rows, k, chunk.begin, chunk.rows, quantized.data(),
                       scales.data(), InfoOf(job.type).bits, job.out.data());
      return BytesOf(job, chunk.rows);
    }
    std::byte* out = job.out.data() + BytesOf(job, chunk.begin);
    PackMatrix(job.type, tile_, chunk.rows, k, values.data(), quantized.data(),
               scales.data(), out);
    return BytesOf(job, chunk.rows);
  }

 private:
  static void ReadFloats(const PackJob& job, uint64_t at,
                         std::span<float> out) {
    job.linear->ReadRow(at, out);
    if (job.type != WeightType::kF16) return;
    CheckFitsF16(out, job.linear->RowAt(at).tensor->name);
  }

  // Returns the scale. `values` is scratch.
  static float QuantizeRow(const PackJob& job, uint64_t at,
                           std::span<float> values,
                           std::span<int8_t> integers) {
    const CanonicalLinear::Row row = job.linear->RowAt(at);
    const SourceTensor& source = *row.tensor;
    if (source.type != SourceType::kInt8 || job.type != WeightType::kInt8) {
      job.linear->ReadRow(at, values);
      return QuantizeChannelTo(job.type, values, integers);
    }
    source.ReadIntegers(row.index * job.columns, integers);
    CheckInRange(integers, source.name);
    const float scale = source.ScaleOf(row.index);
    if (job.nibbles) CheckNotNegative(source, scale);
    return scale;
  }

  uint64_t BytesOf(const PackJob& job, uint64_t rows) const {
    if (job.nibbles) {
      return NibblePlaneBytes(rows, job.columns, InfoOf(job.type).bits);
    }
    return PackedBytes(job.type, tile_, rows, job.columns);
  }

  // Source rows are not needed again (else they are read again). The rows of a
  // transposed matrix are spread over all of it.
  static void Forget(const Chunk& chunk) {
    const PackJob& job = *chunk.job;
    if (chunk.begin + chunk.rows == job.rows) {
      for (const SourceTensor* tensor : job.linear->weights) {
        tensor->Forget(0, tensor->size());
      }
      return;
    }
    const CanonicalLinear::Row first = job.linear->RowAt(chunk.begin);
    const CanonicalLinear::Row last =
        job.linear->RowAt(chunk.begin + chunk.rows - 1);
    if (first.tensor != last.tensor || first.tensor->transposed) return;
    first.tensor->Forget(first.index * job.columns,
                         (last.index + 1 - first.index) * job.columns);
  }

  const Tile tile_;
};

}  // namespace

void PackMatrices(std::span<const PackJob> jobs, Tile tile,
                  const std::function<void(uint64_t bytes)>& done) {
  const Packer packer(tile);
  const std::vector<Chunk> chunks = packer.Cut(jobs);
  std::mutex mutex;
  RunOnAllCores(chunks.size(), chunks.size(), [&] {
    return [&](size_t i) {
      const uint64_t bytes = packer.Pack(chunks[i]);
      const std::scoped_lock lock(mutex);
      done(bytes);
    };
  });
}

}  // namespace latimer
