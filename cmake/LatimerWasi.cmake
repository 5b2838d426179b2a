# The C++ library of WebAssembly with exceptions, from the sources in Zig's
# wheel; the one that Zig links aborts where it should throw.
include_guard()
include(LatimerSbom)
latimer_sbom_zig(wasi/LICENSE-MIT wasi/libc-top-half/musl/COPYRIGHT)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
add_link_options(-s)

get_filename_component(lib "${ZIG}" DIRECTORY)
set(lib "${lib}/lib")
file(GLOB sources CONFIGURE_DEPENDS "${lib}/libcxx/src/*.cpp"
  "${lib}/libcxx/src/filesystem/*.cpp" "${lib}/libcxx/src/ryu/*.cpp"
  "${lib}/libcxxabi/src/*.cpp" "${lib}/libunwind/src/Unwind-wasm.c")
list(FILTER sources EXCLUDE
  REGEX "/(legacy_[^/]*|cxa_noexception|cxa_thread_atexit)\\.cpp$")
set(tag "${PROJECT_BINARY_DIR}/generated/cpp_exception.c")
file(CONFIGURE OUTPUT "${tag}" CONTENT
  "__asm__(\".globl __cpp_exception\\n.tagtype __cpp_exception i32\\n__cpp_exception:\\n\");\n")
latimer_third_party_library(latimer_cxx SOURCES ${sources} "${tag}"
  PRIVATE_INCLUDES "${lib}/libcxx/src" "${lib}/libcxx/libc"
    "${lib}/libcxxabi/include"
  DEFINITIONS _LIBCPP_BUILDING_LIBRARY _LIBCXXABI_BUILDING_LIBRARY
    LIBCXX_BUILDING_LIBCXXABI _LIBUNWIND_HIDE_SYMBOLS
    _LIBUNWIND_HAS_NO_THREADS)
# It has no copy_file_range(), though its C library is musl.
target_compile_options(latimer_cxx PRIVATE "-I${lib}/libunwind/include"
  -U_LIBCPP_HAS_MUSL_LIBC -D_LIBCPP_HAS_MUSL_LIBC=0)
set_target_properties(latimer_cxx PROPERTIES CXX_STANDARD 23)
link_libraries(latimer_cxx wasi-emulated-signal wasi-emulated-getpid)
add_compile_definitions(_WASI_EMULATED_SIGNAL _WASI_EMULATED_GETPID
  CLI11_HAS_FILESYSTEM=1)
# XNNPACK includes arm_neon.h by mistake; Zig has one that refuses.
add_compile_options(-D__ARM_NEON_H "SHELL:-include wasm_simd128.h")
