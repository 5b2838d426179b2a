/* XNNPACK and XXH3 include this header for WebAssembly, by mistake. */
#include <wasm_simd128.h>
