// Data only, because cli/cpu_guard.cc reads it on CPUs that lack some of these
// features. Compiled with the flags of all other code, to see what they allow.
#include "base/cpu_table.h"

#include <string_view>

#include "base/cpu.h"

namespace latimer {

using Cpu = CpuFeatures;

#define ROW(name, in_build, implied, goes_with_previous) \
  {#name, &CpuFeatures::name, in_build, implied, goes_with_previous},

constexpr Isa kIsas[] = {LATIMER_ISA_ROWS(ROW)};
constinit const int kIsaCount = sizeof(kIsas) / sizeof(kIsas[0]);

// A macro that is not defined expands to its own name.
#define TEXT(expanded) #expanded
#define DEFINED(macro) (std::string_view(#macro) != TEXT(macro))

#if defined(__x86_64__)

// Bits: Intel 64 and IA-32 Architectures Software Developer's Manual, volume
// 2A, CPUID; LZCNT (ABM): AMD64 Architecture Programmer's Manual, volume 3.
constexpr CpuFeature kCpuFeatures[] = {
    {"SSE3", kLeaf1Ecx, 0, 0, DEFINED(__SSE3__)},
    {"SSSE3", kLeaf1Ecx, 9, 0, DEFINED(__SSSE3__), &Cpu::sse41},
    {"SSE4.1", kLeaf1Ecx, 19, 0, DEFINED(__SSE4_1__), &Cpu::sse41},
    {"SSE4.2", kLeaf1Ecx, 20, 0, DEFINED(__SSE4_2__)},
    {"POPCNT", kLeaf1Ecx, 23, 0, DEFINED(__POPCNT__)},
    {"AES", kLeaf1Ecx, 25, 0, DEFINED(__AES__)},
    {"PCLMUL", kLeaf1Ecx, 1, 0, DEFINED(__PCLMUL__)},
    {"MOVBE", kLeaf1Ecx, 22, 0, DEFINED(__MOVBE__)},
    {"LZCNT", kExtendedLeaf1Ecx, 5, 0, DEFINED(__LZCNT__)},
    {"BMI", kLeaf7Ebx, 3, 0, DEFINED(__BMI__)},
    {"BMI2", kLeaf7Ebx, 8, 0, DEFINED(__BMI2__)},
    {"ADX", kLeaf7Ebx, 19, 0, DEFINED(__ADX__)},
    {"GFNI", kLeaf7Ecx, 8, 0, DEFINED(__GFNI__)},
    {"AVX", kLeaf1Ecx, 28, kYmm, DEFINED(__AVX__), &Cpu::avx2},
    {"F16C", kLeaf1Ecx, 29, kYmm, DEFINED(__F16C__), &Cpu::avx2},
    {"FMA", kLeaf1Ecx, 12, kYmm, DEFINED(__FMA__), &Cpu::avx2},
    {"AVX2", kLeaf7Ebx, 5, kYmm, DEFINED(__AVX2__), &Cpu::avx2},
    {"AVX-VNNI", kLeaf7Subleaf1Eax, 4, kYmm, DEFINED(__AVXVNNI__),
     &Cpu::avxvnni},
    {"VAES", kLeaf7Ecx, 9, kYmm, DEFINED(__VAES__)},
    {"VPCLMULQDQ", kLeaf7Ecx, 10, kYmm, DEFINED(__VPCLMULQDQ__)},
    {"AVX512F", kLeaf7Ebx, 16, kZmm, DEFINED(__AVX512F__), &Cpu::avx512},
    {"AVX512CD", kLeaf7Ebx, 28, kZmm, DEFINED(__AVX512CD__), &Cpu::avx512},
    {"AVX512BW", kLeaf7Ebx, 30, kZmm, DEFINED(__AVX512BW__), &Cpu::avx512},
    {"AVX512DQ", kLeaf7Ebx, 17, kZmm, DEFINED(__AVX512DQ__), &Cpu::avx512},
    {"AVX512VL", kLeaf7Ebx, 31, kZmm, DEFINED(__AVX512VL__), &Cpu::avx512},
    {"AVX512IFMA", kLeaf7Ebx, 21, kZmm, DEFINED(__AVX512IFMA__)},
    {"AVX512VBMI", kLeaf7Ecx, 1, kZmm, DEFINED(__AVX512VBMI__)},
    {"AVX512VBMI2", kLeaf7Ecx, 6, kZmm, DEFINED(__AVX512VBMI2__)},
    {"AVX512VNNI", kLeaf7Ecx, 11, kZmm, DEFINED(__AVX512VNNI__),
     &Cpu::avx512vnni},
    {"AVX512BITALG", kLeaf7Ecx, 12, kZmm, DEFINED(__AVX512BITALG__)},
    {"AVX512VPOPCNTDQ", kLeaf7Ecx, 14, kZmm, DEFINED(__AVX512VPOPCNTDQ__)},
    {"AVX512BF16", kLeaf7Subleaf1Eax, 5, kZmm, DEFINED(__AVX512BF16__)},
    {"AVX512FP16", kLeaf7Edx, 23, kZmm, DEFINED(__AVX512FP16__)},
};

#elif defined(__aarch64__)

// Bits: Linux, arch/arm64/include/uapi/asm/hwcap.h.
constexpr CpuFeature kCpuFeatures[] = {
    {"NEON", kHwcap, 1, 0, DEFINED(__ARM_NEON), &Cpu::neon},
    {"AES", kHwcap, 3, 0, DEFINED(__ARM_FEATURE_AES)},
    {"SHA2", kHwcap, 6, 0, DEFINED(__ARM_FEATURE_SHA2)},
    {"CRC32", kHwcap, 7, 0, DEFINED(__ARM_FEATURE_CRC32)},
    {"atomics (LSE)", kHwcap, 8, 0, DEFINED(__ARM_FEATURE_ATOMICS)},
    {"RDM", kHwcap, 12, 0, DEFINED(__ARM_FEATURE_QRDMX)},
    {"half-precision arithmetic", kHwcap, 10, 0,
     DEFINED(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)},
    {"dotprod", kHwcap, 20, 0, DEFINED(__ARM_FEATURE_DOTPROD), &Cpu::dotprod},
    {"FHM", kHwcap, 23, 0, DEFINED(__ARM_FEATURE_FP16_FML)},
    {"RCPC", kHwcap, 15, 0, DEFINED(__ARM_FEATURE_RCPC)},
    {"JSCVT", kHwcap, 13, 0, DEFINED(__ARM_FEATURE_JCVT)},
    {"FCMA", kHwcap, 14, 0, DEFINED(__ARM_FEATURE_COMPLEX)},
    {"FRINT", kHwcap2, 8, 0, DEFINED(__ARM_FEATURE_FRINT)},
    {"i8mm", kHwcap2, 13, 0, DEFINED(__ARM_FEATURE_MATMUL_INT8), &Cpu::i8mm},
    {"BF16", kHwcap2, 14, 0, DEFINED(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)},
    {"SVE", kHwcap, 22, 0, DEFINED(__ARM_FEATURE_SVE)},
    {"SVE2", kHwcap2, 1, 0, DEFINED(__ARM_FEATURE_SVE2)},
};

#elif defined(__arm__) && __ARM_ARCH_PROFILE == 'M'

constexpr CpuFeature kCpuFeatures[] = {
    // No word has these bits, but ReadCpuWords() makes one.
    {"Thumb-2", kHwcap, 0, 0, DEFINED(__thumb2__), &Cpu::scalar},
    {"DSP", kHwcap, 1, 0, DEFINED(__ARM_FEATURE_DSP), &Cpu::dsp},
    {"Helium (MVE)", kHwcap, 2, 0, DEFINED(__ARM_FEATURE_MVE), &Cpu::mve},
};

#elif defined(__arm__)

// Bits: Linux, arch/arm/include/uapi/asm/hwcap.h.
constexpr CpuFeature kCpuFeatures[] = {
    {"NEON", kHwcap, 12, 0, DEFINED(__ARM_NEON), &Cpu::neon},
    {"VFPv4", kHwcap, 16, 0, DEFINED(__ARM_FEATURE_FMA)},
    {"integer division", kHwcap, 17, 0, DEFINED(__ARM_FEATURE_IDIV)},
    {"CRC32", kHwcap2, 4, 0, DEFINED(__ARM_FEATURE_CRC32)},
};

#elif defined(__wasm__)

constexpr CpuFeature kCpuFeatures[] = {
    {"SIMD128", kHwcap, 0, 0, DEFINED(__wasm_simd128__), &Cpu::simd128},
};

#else

// Of RISC-V: Linux, arch/riscv/include/uapi/asm/hwcap.h, a bit for each letter.
constexpr CpuFeature kCpuFeatures[] = {
    {"integers (I)", kHwcap, 'i' - 'a', 0, DEFINED(__riscv), &Cpu::scalar},
    {"compressed instructions", kHwcap, 'c' - 'a', 0,
     DEFINED(__riscv_compressed)},
    {"vectors (V)", kHwcap, 'v' - 'a', 0, DEFINED(__riscv_vector),
     &Cpu::rvv256},
    {"vectors of 256 bits", kVectorBits, 8, 0, DEFINED(__riscv_v_fixed_vlen),
     &Cpu::rvv256},
};

#endif

constinit const int kCpuFeatureCount =
    sizeof(kCpuFeatures) / sizeof(kCpuFeatures[0]);

}  // namespace latimer
