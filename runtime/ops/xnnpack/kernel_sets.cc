#include "ops/xnnpack/kernel_sets.h"

#include "latimer/profile_config.h"
#include "xnnpack/gemm.h"
#include "xnnpack/reduce.h"
#include "xnnpack/vcvt.h"

namespace latimer {
namespace {

// One entry each, from a kernel's name.
#define INT8_GEMM(rows, tile_and_isa)                                   \
  {                                                                     \
    rows, xnn_qd8_f32_qc8w_gemm_minmax_ukernel_##rows##x##tile_and_isa, \
        nullptr,                                                        \
        "xnn_qd8_f32_qc8w_gemm_minmax_ukernel_" #rows "x" #tile_and_isa \
  }
#define INT4_GEMM(rows, tile_and_isa)                                    \
  {                                                                      \
    rows, nullptr, nullptr,                                              \
        "xnn_qd8_f32_qc4w_gemm_minmax_ukernel_" #rows "x" #tile_and_isa, \
        xnn_qd8_f32_qc4w_gemm_minmax_ukernel_##rows##x##tile_and_isa     \
  }
#define F32_GEMM(rows, tile_and_isa)                                    \
  {                                                                     \
    rows, nullptr, xnn_f32_gemm_minmax_ukernel_##rows##x##tile_and_isa, \
        "xnn_f32_gemm_minmax_ukernel_" #rows "x" #tile_and_isa          \
  }
#define CONVERT(feature, minmax_isa, convert_isa)                 \
  {                                                               \
    &CpuFeatures::feature, xnn_f32_rminmax_ukernel__##minmax_isa, \
        xnn_f32_qs8_vcvt_ukernel__##convert_isa,                  \
        "xnn_f32_rminmax_ukernel__" #minmax_isa,                  \
        "xnn_f32_qs8_vcvt_ukernel__" #convert_isa                 \
  }

// What one row costs was measured on Zen 5 (2026-11-21), of int8; 20 stands for
// kernels that were not.
constexpr GemmKernelSet kInt8GemmKernelSets[] = {
#ifdef LATIMER_KERNELS_INT8_16X8_AVX512VNNI
    {Tile::k16x8,
     &CpuFeatures::avx512vnni,
     "AVX512-VNNI",
     28,
     {INT8_GEMM(1, 16c8__avx512vnni_prfm), INT8_GEMM(5, 16c8__avx512vnni_prfm),
      INT8_GEMM(7, 16c8__avx512vnni_prfm), INT8_GEMM(8, 16c8__avx512vnni_prfm),
      INT8_GEMM(9, 16c8__avx512vnni_prfm),
      INT8_GEMM(10, 16c8__avx512vnni_prfm)}},
#endif
#ifdef LATIMER_KERNELS_INT8_8X8_AVX512VNNI
    {Tile::k8x8,
     &CpuFeatures::avx512vnni,
     "AVX512-VNNI",
     18,
     {INT8_GEMM(1, 8c8__avx256vnni_prfm), INT8_GEMM(5, 8c8__avx256vnni_prfm),
      INT8_GEMM(7, 8c8__avx256vnni_prfm), INT8_GEMM(8, 8c8__avx256vnni_prfm)}},
#endif
#ifdef LATIMER_KERNELS_INT8_16X8_AVX512
    {Tile::k16x8,
     &CpuFeatures::avx512,
     "AVX-512",
     14,
     {INT8_GEMM(1, 16c8__avx512skx_prfm), INT8_GEMM(5, 16c8__avx512skx_prfm),
      INT8_GEMM(7, 16c8__avx512skx_prfm)}},
#endif
#ifdef LATIMER_KERNELS_INT8_8X8_AVXVNNI
    {Tile::k8x8,
     &CpuFeatures::avxvnni,
     "AVX-VNNI",
     13,
     {INT8_GEMM(1, 8c8__avxvnni_prfm), INT8_GEMM(2, 8c8__avxvnni_prfm),
      INT8_GEMM(3, 8c8__avxvnni_prfm)}},
#endif
#ifdef LATIMER_KERNELS_INT8_8X8_AVX2
    {Tile::k8x8,
     &CpuFeatures::avx2,
     "AVX2",
     13,
     {INT8_GEMM(1, 8c8__avx2), INT8_GEMM(2, 8c8__avx2), INT8_GEMM(3, 8c8__avx2),
      INT8_GEMM(4, 8c8__avx2)}},
#endif
#ifdef LATIMER_KERNELS_INT8_4X8_SSE41
    {Tile::k4x8,
     &CpuFeatures::sse41,
     "SSE4.1",
     20,
     {INT8_GEMM(1, 4c8__sse41_ld64), INT8_GEMM(2, 4c8__sse41_ld64),
      INT8_GEMM(3, 4c8__sse41_ld64), INT8_GEMM(4, 4c8__sse41_ld64)}},
#endif
#ifdef LATIMER_KERNELS_INT8_8X8_I8MM
    {Tile::k8x8,
     &CpuFeatures::i8mm,
     "i8mm",
     20,
     {INT8_GEMM(1, 8c8__neoni8mm), INT8_GEMM(2, 8c8__neoni8mm),
      INT8_GEMM(4, 8c8__neoni8mm), INT8_GEMM(8, 8c8__neoni8mm)}},
#endif
#ifdef LATIMER_KERNELS_INT8_16X8_I8MM
    {Tile::k16x8,
     &CpuFeatures::i8mm,
     "i8mm",
     20,
     {INT8_GEMM(1, 16c8__neoni8mm), INT8_GEMM(2, 16c8__neoni8mm),
      INT8_GEMM(4, 16c8__neoni8mm), INT8_GEMM(8, 16c8__neoni8mm)}},
#endif
#ifdef LATIMER_KERNELS_INT8_16X4_DOTPROD
    {Tile::k16x4,
     &CpuFeatures::dotprod,
     "dotprod",
     20,
     {INT8_GEMM(1, 16c4__neondot), INT8_GEMM(2, 16c4__neondot),
      INT8_GEMM(4, 16c4__neondot)}},
#endif
#ifdef LATIMER_KERNELS_INT8_8X8_DOTPROD
    // XNNPACK has these two for one row only.
    {Tile::k8x8,
     &CpuFeatures::dotprod,
     "dotprod",
     20,
     {INT8_GEMM(1, 8c8__aarch64_neondot_ld128)}},
#endif
#ifdef LATIMER_KERNELS_INT8_16X8_DOTPROD
    {Tile::k16x8,
     &CpuFeatures::dotprod,
     "dotprod",
     20,
     {INT8_GEMM(1, 16c8__aarch64_neondot_ld128)}},
#endif
#ifdef LATIMER_KERNELS_INT8_8X2S4_NEON
    {Tile::k8x2s4,
     &CpuFeatures::neon,
     "NEON",
     20,
     {INT8_GEMM(1, 8c2s4__neon_mlal), INT8_GEMM(2, 8c2s4__neon_mlal)}},
#endif
#ifdef LATIMER_KERNELS_INT8_4X4_SCALAR
    {Tile::k4x4,
     &CpuFeatures::scalar,
     "scalar",
     20,
     {INT8_GEMM(1, 4__scalar), INT8_GEMM(2, 4__scalar),
      INT8_GEMM(4, 4__scalar)}},
#endif
};

// By the tile of the model's other matrices; see Int4ShapeOf. XNNPACK's faster
// kernels for AVX2 and SSE4.1 ("madd") want other bytes.
constexpr GemmKernelSet kInt4GemmKernelSets[] = {
#ifdef LATIMER_KERNELS_INT8_16X8_AVX512VNNI
    {Tile::k16x8,
     &CpuFeatures::avx512vnni,
     "AVX512-VNNI",
     28,
     {INT4_GEMM(1, 16c8__avx512vnni_prfm), INT4_GEMM(5, 16c8__avx512vnni_prfm),
      INT4_GEMM(7, 16c8__avx512vnni_prfm),
      INT4_GEMM(10, 16c8__avx512vnni_prfm)}},
#endif
#ifdef LATIMER_KERNELS_INT8_8X8_AVX512VNNI
    {Tile::k8x8,
     &CpuFeatures::avx512vnni,
     "AVX512-VNNI",
     18,
     {INT4_GEMM(1, 8c8__avx256vnni_prfm), INT4_GEMM(5, 8c8__avx256vnni_prfm),
      INT4_GEMM(7, 8c8__avx256vnni_prfm), INT4_GEMM(8, 8c8__avx256vnni_prfm)}},
#endif
#ifdef LATIMER_KERNELS_INT8_16X8_AVX512
    {Tile::k16x8,
     &CpuFeatures::avx512,
     "AVX-512",
     14,
     {INT4_GEMM(1, 16c8__avx512skx_prfm), INT4_GEMM(5, 16c8__avx512skx_prfm),
      INT4_GEMM(7, 16c8__avx512skx_prfm)}},
#endif
#ifdef LATIMER_KERNELS_INT8_8X8_AVXVNNI
    {Tile::k8x8,
     &CpuFeatures::avxvnni,
     "AVX-VNNI",
     13,
     {INT4_GEMM(1, 8c8__avxvnni_prfm), INT4_GEMM(2, 8c8__avxvnni_prfm),
      INT4_GEMM(3, 8c8__avxvnni_prfm)}},
#endif
#ifdef LATIMER_KERNELS_INT8_8X8_AVX2
    {Tile::k8x8,
     &CpuFeatures::avx2,
     "AVX2",
     13,
     {INT4_GEMM(1, 8c8__avx2), INT4_GEMM(2, 8c8__avx2), INT4_GEMM(3, 8c8__avx2),
      INT4_GEMM(4, 8c8__avx2)}},
#endif
#ifdef LATIMER_KERNELS_INT8_4X8_SSE41
    {Tile::k4x8,
     &CpuFeatures::sse41,
     "SSE4.1",
     20,
     {INT4_GEMM(1, 4c8__sse41_ld64), INT4_GEMM(2, 4c8__sse41_ld64),
      INT4_GEMM(3, 4c8__sse41_ld64), INT4_GEMM(4, 4c8__sse41_ld64)}},
#endif
#ifdef LATIMER_KERNELS_INT8_8X8_I8MM
    {Tile::k8x8,
     &CpuFeatures::i8mm,
     "i8mm",
     20,
     {INT4_GEMM(1, 8c8__neoni8mm), INT4_GEMM(2, 8c8__neoni8mm),
      INT4_GEMM(4, 8c8__neoni8mm), INT4_GEMM(8, 8c8__neoni8mm)}},
#endif
#ifdef LATIMER_KERNELS_INT8_16X8_I8MM
    {Tile::k16x8,
     &CpuFeatures::i8mm,
     "i8mm",
     20,
     {INT4_GEMM(1, 16c8__neoni8mm), INT4_GEMM(2, 16c8__neoni8mm),
      INT4_GEMM(4, 16c8__neoni8mm), INT4_GEMM(8, 16c8__neoni8mm)}},
#endif
#ifdef LATIMER_KERNELS_INT8_16X4_DOTPROD
    {Tile::k16x4,
     &CpuFeatures::dotprod,
     "dotprod",
     20,
     {INT4_GEMM(1, 16c4__neondot), INT4_GEMM(2, 16c4__neondot),
      INT4_GEMM(4, 16c4__neondot)}},
#endif
#ifdef LATIMER_KERNELS_INT8_8X2S4_NEON
    {Tile::k8x2s4,
     &CpuFeatures::neon,
     "NEON",
     20,
     {INT4_GEMM(1, 16__neon_mlal_lane), INT4_GEMM(2, 16__neon_mlal_lane),
      INT4_GEMM(4, 16__neon_mlal_lane)}},
#endif
#ifdef LATIMER_KERNELS_INT8_4X4_SCALAR
    {Tile::k4x4,
     &CpuFeatures::scalar,
     "scalar",
     20,
     {INT4_GEMM(1, 4__scalar), INT4_GEMM(2, 4__scalar),
      INT4_GEMM(4, 4__scalar)}},
#endif
};

// SSE4.1, 32-bit NEON and plain C multiply and add with two roundings, whatever
// the profile says.
constexpr GemmKernelSet kF32GemmKernelSets[] = {
#ifdef LATIMER_KERNELS_F32_AVX2
    kProfile.f32_fma ? GemmKernelSet{Tile::k8x1,
                                     &CpuFeatures::avx2,
                                     "AVX2",
                                     35,
                                     {F32_GEMM(1, 8__fma3_broadcast),
                                      F32_GEMM(4, 8__fma3_broadcast),
                                      F32_GEMM(6, 8__fma3_broadcast)}}
                     : GemmKernelSet{Tile::k8x1,
                                     &CpuFeatures::avx2,
                                     "AVX2",
                                     35,
                                     {F32_GEMM(1, 8__avx_broadcast),
                                      F32_GEMM(4, 8__avx_broadcast),
                                      F32_GEMM(6, 8__avx_broadcast)}},
#endif
#ifdef LATIMER_KERNELS_F32_SSE41
    {Tile::k8x1,
     &CpuFeatures::sse41,
     "SSE4.1",
     20,
     {F32_GEMM(1, 8__sse_load1), F32_GEMM(3, 8__sse_load1),
      F32_GEMM(4, 8__sse_load1)}},
#endif
#if defined(LATIMER_KERNELS_F32_NEON) && defined(__aarch64__)
    kProfile.f32_fma
        ? GemmKernelSet{Tile::k8x1,
                        &CpuFeatures::neon,
                        "NEON",
                        20,
                        {F32_GEMM(1, 8__aarch64_neonfma_lane_ld128),
                         F32_GEMM(4, 8__aarch64_neonfma_lane_ld128),
                         F32_GEMM(6, 8__aarch64_neonfma_lane_ld128)}}
        : GemmKernelSet{Tile::k8x1,
                        &CpuFeatures::neon,
                        "NEON",
                        20,
                        {F32_GEMM(1, 8__neon_lane_ld128),
                         F32_GEMM(4, 8__neon_lane_ld128),
                         F32_GEMM(6, 8__neon_lane_ld128)}},
#elif defined(LATIMER_KERNELS_F32_NEON)
    {Tile::k8x1,
     &CpuFeatures::neon,
     "NEON",
     20,
     {F32_GEMM(1, 8__neon_lane_ld64), F32_GEMM(4, 8__neon_lane_ld128)}},
#endif
#ifdef LATIMER_KERNELS_F32_SCALAR
    {Tile::k4x1,
     &CpuFeatures::scalar,
     "scalar",
     20,
     {F32_GEMM(1, 4__scalar), F32_GEMM(2, 4__scalar), F32_GEMM(4, 4__scalar)}},
#endif
};

constexpr ConvertKernelSet kConvertKernelSets[] = {
#ifdef LATIMER_KERNELS_QUANTIZE_AVX512
    CONVERT(avx512, avx512f_u64_acc4, avx512skx_u128),
#endif
#ifdef LATIMER_KERNELS_QUANTIZE_AVX2
    CONVERT(avx2, avx_u32_acc4, avx2_u64),
#endif
#ifdef LATIMER_KERNELS_QUANTIZE_SSE41
    CONVERT(sse41, sse_u16_acc4, sse41_u32),
#endif
#if defined(LATIMER_KERNELS_QUANTIZE_NEON) && defined(__aarch64__)
    CONVERT(neon, neon_u16_acc4, neonv8_u32),
#elif defined(LATIMER_KERNELS_QUANTIZE_NEON)
    CONVERT(neon, neon_u16_acc4, neon_u32),
#endif
#ifdef LATIMER_KERNELS_QUANTIZE_SCALAR
    CONVERT(scalar, scalar_u4_acc4, scalar_imagic_u4),
#endif
};

constexpr bool VariantsRise(std::span<const GemmKernelSet> sets) {
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
static_assert(VariantsRise(kInt8GemmKernelSets) &&
              VariantsRise(kInt4GemmKernelSets) &&
              VariantsRise(kF32GemmKernelSets));

}  // namespace

// A table that the profile leaves out is not referred to, and the linker drops
// its kernels.
std::span<const GemmKernelSet> GemmKernelSets(WeightType type) {
  if constexpr (kProfile.int8_weights) {
    if (type == WeightType::kInt8) return kInt8GemmKernelSets;
  }
  if constexpr (kProfile.int4_weights) {
    if (type == WeightType::kInt4) return kInt4GemmKernelSets;
  }
  if constexpr (kProfile.f32_weights) {
    if (type == WeightType::kF32) return kF32GemmKernelSets;
  }
  return {};
}

std::span<const ConvertKernelSet> ConvertKernelSets() {
  if constexpr (kProfile.int8_weights) return kConvertKernelSets;
  return {};
}

}  // namespace latimer
