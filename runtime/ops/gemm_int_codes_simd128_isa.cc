// Products of quantized rows and int6 or int4 weights in WebAssembly, which has
// none of the kernels for x86 that come with them.
#include "ops/gemm_int_codes_isa.cc"
