// The XNNPACK kernels that are compiled in, by tile and instruction set. For
// this directory only. The files are listed in cmake/LatimerXnnpack.cmake,
// which defines LATIMER_KERNELS_<ROLE>_<ISA> for what it compiles.
#ifndef LATIMER_OPS_XNNPACK_KERNEL_SETS_H_
#define LATIMER_OPS_XNNPACK_KERNEL_SETS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu.h"
#include "ops/xnnpack/packed_matrix.h"
#include "xnnpack/microfnptr.h"

namespace latimer {

using Int8GemmFunction = xnn_qd8_f32_qc8w_gemm_ukernel_fn;
using Int4GemmFunction = xnn_qd8_f32_qc4w_gemm_ukernel_fn;
using F32GemmFunction = xnn_f32_gemm_minmax_ukernel_fn;
using MinmaxFunction = xnn_f32_reduce_ukernel_fn;
using ConvertFunction = void (*)(size_t bytes, const float* x, int8_t* q,
                                 const xnn_f32_qs8_cvt_params* params);

// One kernel: up to `rows` rows (XNNPACK's mr) at a time. It takes as long for
// fewer.
struct GemmVariant {
  uint32_t rows;
  // One of these.
  Int8GemmFunction int8;
  F32GemmFunction f32;
  const char* name;
  Int4GemmFunction int4 = nullptr;
};

// The most rows of any variant.
inline constexpr size_t kMaxVariantRows = 16;

struct GemmKernelSet {
  static constexpr size_t kMaxVariants = 4;

  Tile tile;
  bool CpuFeatures::*feature;          // What the CPU must have.
  const char* isa;                     // The same, for people.
  GemmVariant variants[kMaxVariants];  // By rising `rows`.
  uint32_t variant_count;
};

struct ConvertKernelSet {
  bool CpuFeatures::*feature;
  MinmaxFunction minmax;
  ConvertFunction convert;
  const char* minmax_name;
  const char* convert_name;
};

// Best first: the first one that the CPU supports is the one to use. Empty for
// weights that the profile leaves out.
std::span<const GemmKernelSet> GemmKernelSets(WeightType type);
std::span<const ConvertKernelSet> ConvertKernelSets();

}  // namespace latimer

#endif  // LATIMER_OPS_XNNPACK_KERNEL_SETS_H_
