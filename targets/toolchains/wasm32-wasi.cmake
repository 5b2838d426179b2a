# WebAssembly with vectors of 128 bits, by Clang and the C library of WASI, of
# which nothing is linked that needs a system. Node runs its programs.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/toolchain.cmake")
latimer_toolchain(TRIPLE wasm32-wasi PROCESSOR wasm32 CLANG 19
  PACKAGES "clang-19 lld-19 wasi-libc libc++-19-dev-wasm32 \
libclang-rt-19-dev-wasm32"
  CPU -msimd128)
