# XNNPACK, pinned, as a library of kernels: exactly the source files that
# LatimerKernels.cmake lists are compiled, unmodified, with the flags of
# XNNPACK's own build. Targets:
#
#   latimer_xnnpack_kernels  GEMM and conversion kernels for LATIMER_ISAS
#   latimer_xnnpack_packing  writes weights in the kernels' tile layouts
#   latimer_xnnpack_headers  include folders and definitions of both
include_guard()
include(LatimerDependency)
include(LatimerOptions)

latimer_dependency(XNNPACK
  VERSION 4ea82e5
  SPDX BSD-3-Clause PART runtime DEPENDS pthreadpool fxdiv
  PATHS include src cmake scripts tools CMakeLists.txt LICENSE
  SHA256 e1d62b309b1e96cbef734aef7b82cd7ea56dc5f5fb15d76f747cc12cc16d85d9
  DEBIAN x/xnnpack/xnnpack_0.0~git20241108.4ea82e5.orig.tar.xz
  URL https://github.com/google/XNNPACK/archive/4ea82e595b36106653175dcb04b2aa532660d0d8.tar.gz)
latimer_dependency(PTHREADPOOL
  VERSION 560c60d
  SPDX BSD-2-Clause PART runtime
  PATHS include src cmake CMakeLists.txt LICENSE
  SHA256 dbb69709e78ccfa4d83153bdfcaea3cda9bf2568a8ed172719a636b04c1a06b8
  DEBIAN p/pthreadpool/pthreadpool_0.0~git20240616.560c60d.orig.tar.xz
  URL https://github.com/Maratyszcza/pthreadpool/archive/560c60d342a76076f0557a3946924c6478470044.tar.gz)
latimer_dependency(FXDIV
  VERSION b408327
  SPDX MIT PART runtime
  PATHS include cmake CMakeLists.txt LICENSE
  SHA256 a0e5fc9cd3238af748abfa0c14a4ff846f2b4ee06a3b347e4e0cb8b1c1d9a132
  DEBIAN f/fxdiv/fxdiv_0.0~git20200417.b408327.orig.tar.xz
  URL https://github.com/Maratyszcza/FXdiv/archive/b408327ac2a15ec3e43352421954f5b1967701d1.tar.gz)

include(LatimerKernels)  # Reads XNNPACK_SOURCE_DIR.

set(latimer_xnnpack_definitions XNN_LOG_LEVEL=0)
foreach(feature IN ITEMS ARM_FP16_VECTOR ARM_FP16_SCALAR ARM_BF16 ARM_DOTPROD
    ARM_I8MM AVXVNNI AVX256SKX AVX256VNNI AVX512F AVX512SKX AVX512VNNI MEMOPT
    RISCV_VECTOR)
  list(APPEND latimer_xnnpack_definitions XNN_ENABLE_${feature}=1)
endforeach()
foreach(feature IN ITEMS ARM_SME ARM_SME2 AVXVNNIINT8
    AVX256VNNIGFNI AVX512VBMI AVX512VNNIGFNI AVX512AMX AVX512FP16 VSX ASSEMBLY
    SPARSE GEMM_M_SPECIALIZATION DWCONV_MULTIPASS HVX KLEIDIAI CPUINFO)
  list(APPEND latimer_xnnpack_definitions XNN_ENABLE_${feature}=0)
endforeach()

add_library(latimer_xnnpack_headers INTERFACE)
target_include_directories(latimer_xnnpack_headers SYSTEM INTERFACE
  "${XNNPACK_SOURCE_DIR}/include" "${XNNPACK_SOURCE_DIR}/src"
  "${PTHREADPOOL_SOURCE_DIR}/include" "${FXDIV_SOURCE_DIR}/include")
target_compile_definitions(latimer_xnnpack_headers INTERFACE
  ${latimer_xnnpack_definitions})

latimer_third_party_library(latimer_xnnpack_kernels
  SOURCES ${latimer_kernel_files}
  PRIVATE_INCLUDES "${CMAKE_CURRENT_LIST_DIR}/xnnpack"
    "${CMAKE_CURRENT_LIST_DIR}/${LATIMER_ARCH}")
latimer_write_call_graph(latimer_xnnpack_kernels)
# packaging/amalgamate.cmake reads how they are compiled.
set_target_properties(latimer_xnnpack_kernels PROPERTIES
  EXPORT_COMPILE_COMMANDS ON)
latimer_third_party_library(latimer_xnnpack_packing
  SOURCES "${XNNPACK_SOURCE_DIR}/src/reference/packing.cc"
    "${XNNPACK_SOURCE_DIR}/src/microparams-init.c")
foreach(library IN ITEMS kernels packing)
  target_link_libraries(latimer_xnnpack_${library}
    PRIVATE latimer_xnnpack_headers)
endforeach()
