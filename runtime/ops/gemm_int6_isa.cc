// Products of quantized rows and int6 weights on x86-64 without VNNI.
#include "ops/gemm_int6_isa.h"

#include "ops/gemm_int8.h"

namespace latimer::LATIMER_ISA {

LATIMER_DECLARE_GEMM_INT8(LATIMER_ISA)

void GemmInt6(const GemmInt8Args& args, size_t rows, void* scratch) {
  MultiplyInt6(args, rows, scratch);
}

}  // namespace latimer::LATIMER_ISA
