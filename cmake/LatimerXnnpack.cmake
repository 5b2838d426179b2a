# XNNPACK, pinned, as a library of kernels: exactly the source files listed
# here are compiled, unmodified, with the flags that XNNPACK's own build gives
# them. Targets:
#
#   latimer_xnnpack_kernels  GEMM and conversion kernels for LATIMER_ISAS
#   latimer_xnnpack_packing  writes weights in the kernels' tile layouts
#   latimer_xnnpack_headers  include folders and definitions of both
#   latimer_xnnpack_oracle   all of XNNPACK; with LATIMER_XNNPACK_ORACLE only
#
# and the variables LATIMER_ARCH (x86_64, aarch64 or armv7) and LATIMER_ISAS.
include_guard()
include(LatimerDependency)
include(LatimerCachedLibrary)

latimer_dependency(XNNPACK
  VERSION 4ea82e5
  PATHS include src cmake scripts tools CMakeLists.txt LICENSE
  TREE_SHA256
    e1d62b309b1e96cbef734aef7b82cd7ea56dc5f5fb15d76f747cc12cc16d85d9
  DEBIAN_PACKAGE xnnpack
  DEBIAN_SHA256
    90bde2caef0f880f627bab0dc805a86c4b8070cd98e3243db3046ab3f3be1a99
  URL https://github.com/google/XNNPACK/archive/4ea82e595b36106653175dcb04b2aa532660d0d8.tar.gz)
latimer_dependency(PTHREADPOOL
  VERSION 560c60d
  PATHS include src cmake CMakeLists.txt LICENSE
  TREE_SHA256
    dbb69709e78ccfa4d83153bdfcaea3cda9bf2568a8ed172719a636b04c1a06b8
  DEBIAN_PACKAGE pthreadpool
  DEBIAN_SHA256
    4cc3cbd933b28131d2a34edc54f76af9fb41bc490af5eae1a5bd3cd07ea90708
  URL https://github.com/Maratyszcza/pthreadpool/archive/560c60d342a76076f0557a3946924c6478470044.tar.gz)
latimer_dependency(FXDIV
  VERSION b408327
  PATHS include cmake CMakeLists.txt LICENSE
  TREE_SHA256
    a0e5fc9cd3238af748abfa0c14a4ff846f2b4ee06a3b347e4e0cb8b1c1d9a132
  DEBIAN_PACKAGE fxdiv
  DEBIAN_SHA256
    7953482badaf4cb34026c3487c257b8e4ab2df061c019bd6fabbbc12ad52c44b
  URL https://github.com/Maratyszcza/FXdiv/archive/b408327ac2a15ec3e43352421954f5b1967701d1.tar.gz)

# ---- Architecture and instruction sets --------------------------------------

if(LATIMER_TARGET_TRIPLE MATCHES "^(x86_64|amd64)")
  set(LATIMER_ARCH x86_64)
  set(latimer_all_isas sse41 avx2 avxvnni avx512 avx512vnni)
elseif(LATIMER_TARGET_TRIPLE MATCHES "^(aarch64|arm64)")
  set(LATIMER_ARCH aarch64)
  set(latimer_all_isas neon dotprod i8mm)
elseif(LATIMER_TARGET_TRIPLE MATCHES "^arm")
  set(LATIMER_ARCH armv7)
  set(latimer_all_isas neon)
else()
  message(FATAL_ERROR "Latimer has no kernels for ${LATIMER_TARGET_TRIPLE}; "
    "it runs on x86_64, aarch64 and armv7 with NEON.")
endif()
if(NOT LATIMER_ISAS)
  set(LATIMER_ISAS ${latimer_all_isas})
endif()
foreach(isa IN LISTS LATIMER_ISAS)
  if(NOT isa IN_LIST latimer_all_isas)
    message(FATAL_ERROR "LATIMER_ISAS: ${isa} is not one of "
      "${latimer_all_isas}, the instruction sets for ${LATIMER_ARCH}.")
  endif()
endforeach()

# ---- Kernels ----------------------------------------------------------------

set(latimer_kernel_files "")

# Adds source files, given relative to XNNPACK's src/ and without ".c", with
# these compiler flags. Nothing is fused that the source does not fuse: GCC
# contracts vmulq and vaddq too.
function(latimer_kernels)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FLAGS;FILES")
  foreach(name IN LISTS arg_FILES)
    set(file "${XNNPACK_SOURCE_DIR}/src/${name}.c")
    set_source_files_properties("${file}" PROPERTIES
      COMPILE_OPTIONS "${arg_FLAGS};-fno-math-errno;-ffp-contract=off")
    list(APPEND latimer_kernel_files "${file}")
  endforeach()
  set(latimer_kernel_files "${latimer_kernel_files}" PARENT_SCOPE)
endfunction()

set(qd8 qd8-f32-qc8w-gemm/gen/qd8-f32-qc8w-gemm)
set(f32 f32-gemm/gen/f32-gemm)
set(rminmax f32-rminmax/gen/f32-rminmax)
set(vcvt f32-qs8-vcvt/gen/f32-qs8-vcvt)
set(avx512 -mf16c -mfma -mavx512f -mavx512cd -mavx512bw -mavx512dq -mavx512vl
  -fno-asynchronous-unwind-tables)

if("sse41" IN_LIST LATIMER_ISAS)
  latimer_kernels(FLAGS -msse4.1 -mno-sse4.2 FILES
    ${qd8}-1x4c8-minmax-sse41-ld64
    ${qd8}-2x4c8-minmax-sse41-ld64
    ${qd8}-3x4c8-minmax-sse41-ld64
    ${qd8}-4x4c8-minmax-sse41-ld64
    ${f32}-1x8-minmax-sse-load1
    ${f32}-3x8-minmax-sse-load1
    ${f32}-4x8-minmax-sse-load1
    ${rminmax}-sse-u16-acc4
    ${vcvt}-sse41-u32)
endif()
if("avx2" IN_LIST LATIMER_ISAS)
  latimer_kernels(FLAGS -mf16c -mfma -mavx2 FILES
    ${qd8}-1x8c8-minmax-avx2
    ${qd8}-2x8c8-minmax-avx2
    ${qd8}-3x8c8-minmax-avx2
    ${qd8}-4x8c8-minmax-avx2
    ${vcvt}-avx2-u64)
  latimer_kernels(FLAGS -mf16c -mfma -mno-avx2 FILES
    ${f32}-1x8-minmax-fma3-broadcast
    ${f32}-4x8-minmax-fma3-broadcast
    ${f32}-6x8-minmax-fma3-broadcast)
  latimer_kernels(FLAGS -mavx -mno-avx2 -mno-fma -mno-f16c FILES
    ${rminmax}-avx-u32-acc4)
endif()
if("avxvnni" IN_LIST LATIMER_ISAS)
  latimer_kernels(FLAGS -mf16c -mfma -mavx2 -mavxvnni
    -fno-asynchronous-unwind-tables FILES
    ${qd8}-1x8c8-minmax-avxvnni-prfm
    ${qd8}-2x8c8-minmax-avxvnni-prfm
    ${qd8}-3x8c8-minmax-avxvnni-prfm)
endif()
if("avx512" IN_LIST LATIMER_ISAS)
  latimer_kernels(FLAGS ${avx512} FILES
    ${qd8}-1x16c8-minmax-avx512skx-prfm
    ${qd8}-5x16c8-minmax-avx512skx-prfm
    ${qd8}-7x16c8-minmax-avx512skx-prfm
    ${vcvt}-avx512skx-u128)
  latimer_kernels(FLAGS -mavx512f -fno-asynchronous-unwind-tables FILES
    ${rminmax}-avx512f-u64-acc4)
endif()
if("avx512vnni" IN_LIST LATIMER_ISAS)
  latimer_kernels(FLAGS ${avx512} -mavx512vnni FILES
    ${qd8}-1x16c8-minmax-avx512vnni-prfm
    ${qd8}-5x16c8-minmax-avx512vnni-prfm
    ${qd8}-7x16c8-minmax-avx512vnni-prfm
    ${qd8}-10x16c8-minmax-avx512vnni-prfm
    ${qd8}-1x8c8-minmax-avx256vnni-prfm
    ${qd8}-5x8c8-minmax-avx256vnni-prfm
    ${qd8}-7x8c8-minmax-avx256vnni-prfm
    ${qd8}-8x8c8-minmax-avx256vnni-prfm)
endif()
if(LATIMER_ARCH STREQUAL "armv7")
  set(neon_flags -marm -march=armv7-a -mfpu=neon)
  if("neon" IN_LIST LATIMER_ISAS)
    latimer_kernels(FLAGS ${neon_flags} FILES
      ${qd8}-1x8c2s4-minmax-neon-mlal
      ${qd8}-2x8c2s4-minmax-neon-mlal
      ${f32}-1x8-minmax-neon-lane-ld64
      ${f32}-4x8-minmax-neon-lane-ld128
      ${rminmax}-neon-u16-acc4
      ${vcvt}-neon-u32)
  endif()
elseif(LATIMER_ARCH STREQUAL "aarch64")
  if("neon" IN_LIST LATIMER_ISAS)
    latimer_kernels(FLAGS "" FILES
      ${qd8}-1x8c2s4-minmax-neon-mlal
      ${qd8}-2x8c2s4-minmax-neon-mlal
      ${f32}-1x8-minmax-aarch64-neonfma-lane-ld128
      ${f32}-4x8-minmax-aarch64-neonfma-lane-ld128
      ${f32}-6x8-minmax-aarch64-neonfma-lane-ld128
      ${rminmax}-neon-u16-acc4
      ${vcvt}-neonv8-u32)
  endif()
  if("dotprod" IN_LIST LATIMER_ISAS)
    latimer_kernels(FLAGS -march=armv8.2-a+dotprod FILES
      ${qd8}-1x8c8-minmax-aarch64-neondot-ld128
      ${qd8}-1x16c8-minmax-aarch64-neondot-ld128)
  endif()
  if("i8mm" IN_LIST LATIMER_ISAS)
    latimer_kernels(FLAGS -march=armv8.2-a+i8mm+fp16 FILES
      ${qd8}-1x8c8-minmax-neoni8mm
      ${qd8}-2x8c8-minmax-neoni8mm
      ${qd8}-4x8c8-minmax-neoni8mm
      ${qd8}-8x8c8-minmax-neoni8mm
      ${qd8}-1x16c8-minmax-neoni8mm
      ${qd8}-2x16c8-minmax-neoni8mm
      ${qd8}-4x16c8-minmax-neoni8mm
      ${qd8}-8x16c8-minmax-neoni8mm)
  endif()
endif()

set(latimer_xnnpack_includes
  "${XNNPACK_SOURCE_DIR}/include" "${XNNPACK_SOURCE_DIR}/src"
  "${PTHREADPOOL_SOURCE_DIR}/include" "${FXDIV_SOURCE_DIR}/include")
set(latimer_xnnpack_definitions XNN_LOG_LEVEL=0)
foreach(feature IN ITEMS ARM_FP16_VECTOR ARM_FP16_SCALAR ARM_BF16 ARM_DOTPROD
    ARM_I8MM AVXVNNI AVX256SKX AVX256VNNI AVX512F AVX512SKX AVX512VNNI MEMOPT)
  list(APPEND latimer_xnnpack_definitions XNN_ENABLE_${feature}=1)
endforeach()
foreach(feature IN ITEMS ARM_SME ARM_SME2 RISCV_VECTOR AVXVNNIINT8
    AVX256VNNIGFNI AVX512VBMI AVX512VNNIGFNI AVX512AMX AVX512FP16 VSX ASSEMBLY
    SPARSE GEMM_M_SPECIALIZATION DWCONV_MULTIPASS HVX KLEIDIAI CPUINFO)
  list(APPEND latimer_xnnpack_definitions XNN_ENABLE_${feature}=0)
endforeach()

add_library(latimer_xnnpack_headers INTERFACE)
target_include_directories(latimer_xnnpack_headers SYSTEM INTERFACE
  ${latimer_xnnpack_includes})
target_compile_definitions(latimer_xnnpack_headers INTERFACE
  ${latimer_xnnpack_definitions})

latimer_cached_library(latimer_xnnpack_kernels
  KEY 4ea82e5
  SOURCES ${latimer_kernel_files}
  PRIVATE_INCLUDES ${latimer_xnnpack_includes}
  DEFINITIONS ${latimer_xnnpack_definitions})

latimer_cached_library(latimer_xnnpack_packing
  KEY 4ea82e5
  SOURCES
    "${XNNPACK_SOURCE_DIR}/src/reference/packing.cc"
    "${XNNPACK_SOURCE_DIR}/src/microparams-init.c"
  PRIVATE_INCLUDES ${latimer_xnnpack_includes}
  DEFINITIONS ${latimer_xnnpack_definitions})

if(LATIMER_XNNPACK_ORACLE)
  include(LatimerXnnpackOracle)
endif()
