// Products of quantized rows and int6 or int4 weights on x86-64 without VNNI.
#include "ops/gemm_int_codes_isa.h"

#include "ops/gemm_int8.h"

namespace latimer::LATIMER_ISA {

LATIMER_DECLARE_GEMM_INT8(LATIMER_ISA)

void GemmInt4Rows1(const GemmInt8Args& args) { MultiplyInt4<1>(args); }
void GemmInt4Rows2(const GemmInt8Args& args) { MultiplyInt4<2>(args); }
void GemmInt4Rows3(const GemmInt8Args& args) { MultiplyInt4<3>(args); }
void GemmInt4Rows4(const GemmInt8Args& args) { MultiplyInt4<4>(args); }

#if defined(__AVX2__)
void GemmInt6k8x8(const GemmInt8Args& args, size_t rows, void* scratch) {
#else
void GemmInt6k4x8(const GemmInt8Args& args, size_t rows, void* scratch) {
#endif
  MultiplyInt6(args, rows, scratch);
}

}  // namespace latimer::LATIMER_ISA
