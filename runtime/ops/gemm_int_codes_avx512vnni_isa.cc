// Products of quantized rows and int6 weights with VNNI of AVX-512.
#include "ops/gemm_int6_vnni.h"
#include "ops/gemm_int8.h"

namespace latimer::LATIMER_ISA {

LATIMER_DECLARE_GEMM_INT8(LATIMER_ISA)

void GemmInt6k8x8(const GemmInt8Args& args, size_t rows, void*) {
  MultiplyInt6<Tile8x8>(args, rows);
}

void GemmInt6k16x8(const GemmInt8Args& args, size_t rows, void*) {
  MultiplyInt6<Tile16x8>(args, rows);
}

}  // namespace latimer::LATIMER_ISA
