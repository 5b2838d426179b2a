# WebAssembly with SIMD128, as browsers have it since 2023 and Node since 16.4.
# The machine has what JavaScript gives it: targets/bare/wasm.mjs, or the module
# of bindings/wasm.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE wasm32-wasi CPU -msimd128
  ISAS simd128 TILE 4x8
  MACHINE wasm FLASH_MIB 64
  RAM_MIB 512 THREADS 1
  EXAMPLE en-de
  QEMU node "${CMAKE_CURRENT_LIST_DIR}/../bare/wasm.mjs")
