#include "ops/xnnpack/kernel_sets.h"

#include "base/isas_in_build.h"
#include "latimer/profile_config.h"
#include "ops/xnnpack/kernels_in_build.h"
#include "xnnpack/gemm.h"
#include "xnnpack/reduce.h"
#include "xnnpack/vcvt.h"

namespace latimer {

LATIMER_GEMM_INT8_ISAS(LATIMER_DECLARE_GEMM_INT8)

namespace {

#define GEMM_SET(tile, isa, cost, ...) \
  GemmKernelSet(Tile::tile, &CpuFeatures::isa, #isa, cost, {__VA_ARGS__}),
#define INT8_KERNEL(row_count, function) \
  { .rows = (row_count), .name = #function, .int8 = (function) }
#define INT4_KERNEL(row_count, function) \
  { .rows = (row_count), .name = #function, .int4 = (function) }
#define F32_KERNEL(row_count, function) \
  { .rows = (row_count), .name = #function, .f32 = (function) }
#define OWN_GEMM_INT8(row_count, isa)                              \
  {                                                                \
    .rows = (row_count), .name = "gemm_int8_" #row_count "_" #isa, \
    .own = isa::GemmInt8Rows##row_count,                           \
    .blocks = (row_count) == 2 ? kGemmInt8Blocks : 1               \
  }
#define OWN_GEMM_INT4(row_count, isa)                              \
  {                                                                \
    .rows = (row_count), .name = "gemm_int4_" #row_count "_" #isa, \
    .own = isa::GemmInt4Rows##row_count                            \
  }
#define INT6_KERNEL(tile, isa, rows) \
  {Tile::tile, &CpuFeatures::isa, "gemm_int6_" #isa, isa::GemmInt6##tile, rows},
#define CONVERT_SET(isa, minmax, convert) \
  {&CpuFeatures::isa, minmax, convert, #minmax, #convert},

// Of a build without kernels for a type it is empty, as an array cannot be.
using SetList = std::initializer_list<GemmKernelSet>;

constexpr SetList kInt8Sets = {LATIMER_INT8_KERNELS(GEMM_SET, INT8_KERNEL)};
constexpr SetList kInt4Sets = {LATIMER_INT4_KERNELS(GEMM_SET, INT4_KERNEL)};
constexpr std::initializer_list<Int6Kernel> kInt6Kernels = {
    LATIMER_INT6_KERNELS(INT6_KERNEL)};
constexpr SetList kF32Sets = {LATIMER_F32_KERNELS(GEMM_SET, F32_KERNEL)};
constexpr ConvertKernelSet kConvertSets[] = {
    LATIMER_QUANTIZE_KERNELS(CONVERT_SET)};

constexpr bool VariantsRise(const SetList& sets) {
  for (const GemmKernelSet& set : sets) {
    uint32_t least = 1;
    for (const GemmVariant& variant : set.variants()) {
      if (variant.rows < least || variant.rows > kMaxVariantRows) return false;
      least = variant.rows + 1;
    }
    if (set.variants()[0].rows != 1) return false;
  }
  return true;
}
static_assert(VariantsRise(kInt8Sets) && VariantsRise(kInt4Sets) &&
              VariantsRise(kF32Sets));

constexpr std::span<const GemmKernelSet> ViewOf(const SetList& sets) {
  return {sets.begin(), sets.size()};
}

}  // namespace

// The linker drops the kernels of a table that the profile leaves out, because
// nothing refers to that table.
std::span<const GemmKernelSet> GemmKernelSets(WeightType type) {
  if constexpr (kProfile.int8_weights) {
    if (type == WeightType::kInt8) return ViewOf(kInt8Sets);
  }
  if constexpr (kProfile.int4_weights) {
    if (type == WeightType::kInt4) return ViewOf(kInt4Sets);
  }
  if constexpr (kProfile.f32_weights) {
    if (type == WeightType::kF32) return ViewOf(kF32Sets);
  }
  return {};
}

std::span<const Int6Kernel> Int6Kernels() {
  if constexpr (kProfile.int6_weights) {
    return {kInt6Kernels.begin(), kInt6Kernels.size()};
  }
  return {};
}

std::span<const ConvertKernelSet> ConvertKernelSets() {
  if constexpr (kProfile.int8_weights) return kConvertSets;
  return {};
}

}  // namespace latimer
