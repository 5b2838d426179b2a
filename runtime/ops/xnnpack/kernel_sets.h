// The GEMM kernels of this build, by tile and instruction set: those of
// kernels.txt that cmake/LatimerKernels.cmake compiles. For this directory
// only.
#ifndef LATIMER_OPS_XNNPACK_KERNEL_SETS_H_
#define LATIMER_OPS_XNNPACK_KERNEL_SETS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "base/cpu.h"
#include "ops/gemm_int8.h"
#include "ops/xnnpack/packed_matrix.h"
#include "xnnpack/microfnptr.h"

namespace latimer {

using Int8GemmFunction = xnn_qd8_f32_qc8w_gemm_ukernel_fn;
using Int4GemmFunction = xnn_qd8_f32_qc4w_gemm_ukernel_fn;
using F32GemmFunction = xnn_f32_gemm_minmax_ukernel_fn;
using MinmaxFunction = xnn_f32_reduce_ukernel_fn;
using ConvertFunction = void (*)(size_t bytes, const float* x, int8_t* q,
                                 const xnn_f32_qs8_cvt_params* params);

// One kernel. It computes up to `rows` rows (XNNPACK's mr) at a time and takes
// no less time for fewer.
struct GemmVariant {
  uint32_t rows = 0;
  const char* name = nullptr;
  // One of these.
  Int8GemmFunction int8 = nullptr;
  Int4GemmFunction int4 = nullptr;
  F32GemmFunction f32 = nullptr;
  // Not XNNPACK's: for exactly `rows` rows.
  GemmInt8Function own = nullptr;
  uint32_t blocks = 1;  // Blocks of nr channels that it computes at a time.
};

// The largest `rows` of any variant.
inline constexpr uint32_t kMaxVariantRows = 16;

// The kernels for one tile and instruction set, and a plan of which to call for
// how many rows.
class GemmKernelSet {
 public:
  static constexpr uint32_t kMaxVariants = 6;

  // `variants` come by rising `rows`, the first for one row. That kernel waits
  // for the weights, so a row costs more there than in the others:
  // `one_row_cost` is its cost in tenths of what a row costs in the others.
  constexpr GemmKernelSet(Tile tile_of_weights, bool CpuFeatures::*needed,
                          const char* isa_name, uint32_t one_row_cost,
                          std::initializer_list<GemmVariant> variants)
      : tile(tile_of_weights), feature(needed), isa(isa_name) {
    for (const GemmVariant& variant : variants) {
      variants_[count_++] = variant;
    }
    MakePlan(one_row_cost);
  }

  Tile tile;
  bool CpuFeatures::*feature;  // What the CPU must have.
  const char* isa;             // Its name: "avx2".

  constexpr std::span<const GemmVariant> variants() const {
    return {variants_, count_};
  }

  // The kernel to call first when `rows` rows are left.
  const GemmVariant& VariantFor(size_t rows) const {
    return variants_[rows <= kPlannedRows ? plan_[rows] : count_ - 1];
  }

 private:
  static constexpr uint32_t kPlannedRows = 2 * kMaxVariantRows;

  // Finds the cheapest calls for each number of rows. A kernel costs no less
  // for fewer rows than it holds; each call costs a tenth of a row. Of equal
  // plans, the one that fills the largest kernel first: that call brings the
  // weights from memory, which many rows hide best.
  constexpr void MakePlan(uint32_t one_row_cost) {
    uint32_t cost[kPlannedRows + 1] = {};
    for (uint32_t rows = 1; rows <= kPlannedRows; ++rows) {
      for (uint32_t i = 0; i < count_; ++i) {
        const uint32_t size = variants_[i].rows;
        const uint32_t with = (i == 0 ? one_row_cost : 10 * size) + 1 +
                              (rows > size ? cost[rows - size] : 0);
        const bool fills = size <= rows;
        if (i > 0 && with + (fills ? 0 : 1) > cost[rows]) continue;
        cost[rows] = with;
        plan_[rows] = static_cast<uint8_t>(i);
      }
    }
  }

  GemmVariant variants_[kMaxVariants] = {};
  uint32_t count_ = 0;
  uint8_t plan_[kPlannedRows + 1] = {};
};

// A kernel for int6 weights, not XNNPACK's.
struct Int6Kernel {
  Tile tile;
  bool CpuFeatures::*feature;
  const char* name;
  GemmInt6Function run;
  size_t most_rows;  // For more of them a block is unpacked.
};

struct ConvertKernelSet {
  bool CpuFeatures::*feature;
  MinmaxFunction minmax;
  ConvertFunction convert;
  const char* minmax_name;
  const char* convert_name;
};

// Best first: use the first one that the CPU supports. Empty for weights that
// the profile leaves out.
std::span<const GemmKernelSet> GemmKernelSets(WeightType type);
std::span<const Int6Kernel> Int6Kernels();
std::span<const ConvertKernelSet> ConvertKernelSets();

}  // namespace latimer

#endif  // LATIMER_OPS_XNNPACK_KERNEL_SETS_H_
