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
// units of kPackedAlignment, as PackInt8 and the other packers need.
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
  Packer(WeightType weights, Tile tile) : weights_(weights), tile_(tile) {}

  std::vector<Chunk> Cut(std::span<const PackJob> jobs) const {
    std::vector<Chunk> chunks;
    for (const PackJob& job : jobs) {
      LATIMER_CHECK(job.out.size() == BytesOf(job, job.rows));
      const uint64_t unit =
          job.nibbles ? kNibbleBlockRows
          : job.int4 != nullptr
              ? kBlocksOfUnit * ShapeOf(WeightType::kInt4, tile_).nr
              : kBlocksOfUnit * ShapeOf(tile_).nr;
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
    if (job.int4 != nullptr) return PackInt4Chunk(chunk);
    const bool int8 = weights_ == WeightType::kInt8;
    std::vector<float> values(int8 ? k : chunk.rows * k);
    std::vector<int8_t> quantized(int8 ? chunk.rows * k : 0);
    std::vector<float> scales(int8 ? chunk.rows : 0);
    for (uint64_t i = 0; i < chunk.rows; ++i) {
      const CanonicalLinear::Row row = job.linear->RowAt(chunk.begin + i);
      const SourceTensor& source = *row.tensor;
      if (!int8) {
        const auto out = std::span(values).subspan(i * k, k);
        job.linear->ReadRow(chunk.begin + i, out);
        if (weights_ == WeightType::kF16) CheckFitsF16(out, source.name);
        continue;
      }
      const auto integers = std::span(quantized).subspan(i * k, k);
      if (const QuantizedMatrix* given = job.quantized) {
        const uint64_t at = chunk.begin + i;
        std::copy_n(given->integers.data() + at * k, k, integers.data());
        scales[i] = given->scales[at];
      } else if (source.type == SourceType::kInt8 && !job.int6) {
        source.ReadIntegers(row.index * k, integers);
        CheckInRange(integers, source.name);
        scales[i] = source.ScaleOf(row.index);
        if (job.nibbles) CheckNotNegative(source, scales[i]);
      } else {
        job.linear->ReadRow(chunk.begin + i, values);
        scales[i] = job.int6 ? QuantizeChannelToInt6(values, integers)
                             : QuantizeChannel(values, integers);
      }
    }
    Forget(chunk);
    if (job.nibbles) {
      PackNibblePlanes(job.rows, k, chunk.begin, chunk.rows, quantized.data(),
                       scales.data(), job.int6, job.out.data());
      return BytesOf(job, chunk.rows);
    }
    std::byte* out = job.out.data() + BytesOf(job, chunk.begin);
    if (job.int6) {
      PackInt6(tile_, chunk.rows, k, quantized.data(), scales.data(), out);
    } else if (int8) {
      PackInt8(tile_, chunk.rows, k, quantized.data(), scales.data(), out);
    } else if (weights_ == WeightType::kF16) {
      PackF16(chunk.rows, k, values.data(), out);
    } else {
      PackF32(tile_, chunk.rows, k, values.data(), out);
    }
    return BytesOf(job, chunk.rows);
  }

 private:
  uint64_t PackInt4Chunk(const Chunk& chunk) const {
    const PackJob& job = *chunk.job;
    PackInt4(tile_, chunk.rows, job.columns,
             job.int4->integers.data() + chunk.begin * job.columns,
             job.int4->scales.data() + chunk.begin,
             job.out.data() + BytesOf(job, chunk.begin));
    return BytesOf(job, chunk.rows);
  }

  uint64_t BytesOf(const PackJob& job, uint64_t rows) const {
    if (job.nibbles) return NibblePlaneBytes(rows, job.columns, job.int6);
    return PackedBytes(job.int4 != nullptr ? WeightType::kInt4
                       : job.int6          ? WeightType::kInt6
                                           : weights_,
                       tile_, rows, job.columns);
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

  const WeightType weights_;
  const Tile tile_;
};

}  // namespace

void PackMatrices(std::span<const PackJob> jobs, WeightType weights, Tile tile,
                  const std::function<void(uint64_t bytes)>& done) {
  const Packer packer(weights, tile);
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
