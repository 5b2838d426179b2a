# WebAssembly with WASI and exceptions, for latimer-convert, by Zig: its wheel
# has the sources of a C++ library that throws, which cmake/LatimerWasi.cmake
# compiles. The runtime in it has no operating system.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/zig.cmake")
set(LATIMER_BARE wasi)
set(latimer_cxx_features _LIBCPP_HAS_FILESYSTEM=1 _LIBCPP_HAS_THREADS=1
  _LIBCPP_HAS_THREAD_API_PTHREAD=1)
list(TRANSFORM latimer_cxx_features REPLACE "(.*)=1" "-U\\1;-D\\1=1"
  OUTPUT_VARIABLE latimer_cxx_features)
latimer_zig_toolchain(TARGET wasm32-wasi SYSTEM Generic PROCESSOR wasm32
  FLAGS -mcpu=generic+exception_handling+simd128+bulk_memory+sign_ext
    -fwasm-exceptions ${latimer_cxx_features}
  LINK_FLAGS -nostdlib++ -Wl,-z,stack-size=1048576)
