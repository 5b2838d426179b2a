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
include(LatimerIsas)

latimer_dependency(XNNPACK
  VERSION 4ea82e5
  SPDX BSD-3-Clause PART runtime
  PATHS include src cmake scripts tools CMakeLists.txt LICENSE
  TREE_SHA256
    e1d62b309b1e96cbef734aef7b82cd7ea56dc5f5fb15d76f747cc12cc16d85d9
  DEBIAN_PACKAGE xnnpack
  DEBIAN_SHA256
    90bde2caef0f880f627bab0dc805a86c4b8070cd98e3243db3046ab3f3be1a99
  URL https://github.com/google/XNNPACK/archive/4ea82e595b36106653175dcb04b2aa532660d0d8.tar.gz)
latimer_dependency(PTHREADPOOL
  VERSION 560c60d
  SPDX BSD-2-Clause PART runtime
  PATHS include src cmake CMakeLists.txt LICENSE
  TREE_SHA256
    dbb69709e78ccfa4d83153bdfcaea3cda9bf2568a8ed172719a636b04c1a06b8
  DEBIAN_PACKAGE pthreadpool
  DEBIAN_SHA256
    4cc3cbd933b28131d2a34edc54f76af9fb41bc490af5eae1a5bd3cd07ea90708
  URL https://github.com/Maratyszcza/pthreadpool/archive/560c60d342a76076f0557a3946924c6478470044.tar.gz)
latimer_dependency(FXDIV
  VERSION b408327
  SPDX MIT PART runtime
  PATHS include cmake CMakeLists.txt LICENSE
  TREE_SHA256
    a0e5fc9cd3238af748abfa0c14a4ff846f2b4ee06a3b347e4e0cb8b1c1d9a132
  DEBIAN_PACKAGE fxdiv
  DEBIAN_SHA256
    7953482badaf4cb34026c3487c257b8e4ab2df061c019bd6fabbbc12ad52c44b
  URL https://github.com/Maratyszcza/FXdiv/archive/b408327ac2a15ec3e43352421954f5b1967701d1.tar.gz)

# ---- Kernels ----------------------------------------------------------------

# latimer_kernels(ROLE <role> ISA <isa> [FLAGS ...] FILES ...): source files,
# given relative to XNNPACK's src/ and without ".c", with these compiler flags.
# runtime/ops/xnnpack/kernel_sets.cc has the tables. Nothing is fused that the
# source does not fuse: GCC contracts vmulq and vaddq too.
#
# Kernels whose names end in "prfm" prefetch; see xnnpack_prefetch.h for how far.
#
# Roles are int8_<tile>, which has the kernels for int4 weights too, f32 and
# quantize. Calls go from the oldest instruction set to the newest.
macro(latimer_kernels)
  cmake_parse_arguments(arg "" "ROLE;ISA" "FLAGS;FILES" ${ARGN})
  latimer_add_isa_to_role(${arg_ROLE} ${arg_ISA})
  foreach(name IN LISTS arg_FILES)
    set(file "${XNNPACK_SOURCE_DIR}/src/${name}.c")
    set(latimer_flags ${arg_FLAGS} -fno-math-errno -ffp-contract=off)
    if(name MATCHES "-prfm$")
      # Found by include folder, which is not part of the library's key.
      list(APPEND latimer_flags -include xnnpack_prefetch.h)
    endif()
    set_source_files_properties("${file}" PROPERTIES
      COMPILE_OPTIONS "${latimer_flags}")
    list(APPEND latimer_files_${arg_ROLE}_${arg_ISA} "${file}")
  endforeach()
endmacro()

set(qd8 qd8-f32-qc8w-gemm/gen/qd8-f32-qc8w-gemm)
set(qd4 qd8-f32-qc4w-gemm/gen/qd8-f32-qc4w-gemm)
set(f32 f32-gemm/gen/f32-gemm)
set(rminmax f32-rminmax/gen/f32-rminmax)
set(vcvt f32-qs8-vcvt/gen/f32-qs8-vcvt)
set(avx512 -mf16c -mfma -mavx512f -mavx512cd -mavx512bw -mavx512dq -mavx512vl
  -fno-asynchronous-unwind-tables)

if(LATIMER_ARCH STREQUAL "x86_64")
  latimer_kernels(ROLE int8_4x8 ISA sse41 FLAGS -msse4.1 -mno-sse4.2 FILES
    ${qd8}-1x4c8-minmax-sse41-ld64
    ${qd8}-2x4c8-minmax-sse41-ld64
    ${qd8}-3x4c8-minmax-sse41-ld64
    ${qd8}-4x4c8-minmax-sse41-ld64
    ${qd4}-1x4c8-minmax-sse41-ld64
    ${qd4}-2x4c8-minmax-sse41-ld64
    ${qd4}-3x4c8-minmax-sse41-ld64
    ${qd4}-4x4c8-minmax-sse41-ld64)
  latimer_kernels(ROLE f32 ISA sse41 FLAGS -msse4.1 -mno-sse4.2 FILES
    ${f32}-1x8-minmax-sse-load1
    ${f32}-3x8-minmax-sse-load1
    ${f32}-4x8-minmax-sse-load1)
  latimer_kernels(ROLE quantize ISA sse41 FLAGS -msse4.1 -mno-sse4.2 FILES
    ${rminmax}-sse-u16-acc4
    ${vcvt}-sse41-u32)

  latimer_kernels(ROLE int8_8x8 ISA avx2 FLAGS -mf16c -mfma -mavx2 FILES
    ${qd8}-1x8c8-minmax-avx2
    ${qd8}-2x8c8-minmax-avx2
    ${qd8}-3x8c8-minmax-avx2
    ${qd8}-4x8c8-minmax-avx2
    ${qd4}-1x8c8-minmax-avx2
    ${qd4}-2x8c8-minmax-avx2
    ${qd4}-3x8c8-minmax-avx2
    ${qd4}-4x8c8-minmax-avx2)
  latimer_kernels(ROLE f32 ISA avx2 FLAGS -mf16c -mfma -mno-avx2 FILES
    ${f32}-1x8-minmax-fma3-broadcast
    ${f32}-4x8-minmax-fma3-broadcast
    ${f32}-6x8-minmax-fma3-broadcast)
  # For profiles without f32_fma; the linker takes one or the other.
  latimer_kernels(ROLE f32 ISA avx2 FLAGS -mavx -mno-avx2 -mno-fma -mno-f16c
    FILES
    ${f32}-1x8-minmax-avx-broadcast
    ${f32}-4x8-minmax-avx-broadcast
    ${f32}-6x8-minmax-avx-broadcast)
  latimer_kernels(ROLE quantize ISA avx2 FLAGS -mf16c -mfma -mavx2 FILES
    ${vcvt}-avx2-u64)
  latimer_kernels(ROLE quantize ISA avx2 FLAGS -mavx -mno-avx2 -mno-fma
    -mno-f16c FILES
    ${rminmax}-avx-u32-acc4)

  latimer_kernels(ROLE int8_8x8 ISA avxvnni FLAGS -mf16c -mfma -mavx2 -mavxvnni
    -fno-asynchronous-unwind-tables FILES
    ${qd8}-1x8c8-minmax-avxvnni-prfm
    ${qd8}-2x8c8-minmax-avxvnni-prfm
    ${qd8}-3x8c8-minmax-avxvnni-prfm
    ${qd4}-1x8c8-minmax-avxvnni-prfm
    ${qd4}-2x8c8-minmax-avxvnni-prfm
    ${qd4}-3x8c8-minmax-avxvnni-prfm)

  latimer_kernels(ROLE int8_16x8 ISA avx512 FLAGS ${avx512} FILES
    ${qd8}-1x16c8-minmax-avx512skx-prfm
    ${qd8}-5x16c8-minmax-avx512skx-prfm
    ${qd8}-7x16c8-minmax-avx512skx-prfm
    ${qd4}-1x16c8-minmax-avx512skx-prfm
    ${qd4}-5x16c8-minmax-avx512skx-prfm
    ${qd4}-7x16c8-minmax-avx512skx-prfm)
  latimer_kernels(ROLE quantize ISA avx512 FLAGS ${avx512} FILES
    ${vcvt}-avx512skx-u128)
  latimer_kernels(ROLE quantize ISA avx512 FLAGS -mavx512f
    -fno-asynchronous-unwind-tables FILES
    ${rminmax}-avx512f-u64-acc4)

  latimer_kernels(ROLE int8_16x8 ISA avx512vnni FLAGS ${avx512} -mavx512vnni
    FILES
    ${qd8}-1x16c8-minmax-avx512vnni-prfm
    ${qd8}-5x16c8-minmax-avx512vnni-prfm
    ${qd8}-7x16c8-minmax-avx512vnni-prfm
    ${qd8}-8x16c8-minmax-avx512vnni-prfm
    ${qd8}-9x16c8-minmax-avx512vnni-prfm
    ${qd8}-10x16c8-minmax-avx512vnni-prfm
    ${qd4}-1x16c8-minmax-avx512vnni-prfm
    ${qd4}-5x16c8-minmax-avx512vnni-prfm
    ${qd4}-7x16c8-minmax-avx512vnni-prfm
    ${qd4}-10x16c8-minmax-avx512vnni-prfm)
  latimer_kernels(ROLE int8_8x8 ISA avx512vnni FLAGS ${avx512} -mavx512vnni
    FILES
    ${qd8}-1x8c8-minmax-avx256vnni-prfm
    ${qd8}-5x8c8-minmax-avx256vnni-prfm
    ${qd8}-7x8c8-minmax-avx256vnni-prfm
    ${qd8}-8x8c8-minmax-avx256vnni-prfm
    ${qd4}-1x8c8-minmax-avx256vnni-prfm
    ${qd4}-5x8c8-minmax-avx256vnni-prfm
    ${qd4}-7x8c8-minmax-avx256vnni-prfm
    ${qd4}-8x8c8-minmax-avx256vnni-prfm)
elseif(LATIMER_ARCH STREQUAL "armv7")
  set(neon -marm -march=armv7-a -mfpu=neon)
  latimer_kernels(ROLE int8_8x2s4 ISA neon FLAGS ${neon} FILES
    ${qd8}-1x8c2s4-minmax-neon-mlal
    ${qd8}-2x8c2s4-minmax-neon-mlal
    ${qd4}-1x16-minmax-neon-mlal-lane
    ${qd4}-2x16-minmax-neon-mlal-lane
    ${qd4}-4x16-minmax-neon-mlal-lane)
  latimer_kernels(ROLE f32 ISA neon FLAGS ${neon} FILES
    ${f32}-1x8-minmax-neon-lane-ld64
    ${f32}-4x8-minmax-neon-lane-ld128)
  latimer_kernels(ROLE quantize ISA neon FLAGS ${neon} FILES
    ${rminmax}-neon-u16-acc4
    ${vcvt}-neon-u32)
elseif(LATIMER_ARCH STREQUAL "aarch64")
  latimer_kernels(ROLE int8_8x2s4 ISA neon FILES
    ${qd8}-1x8c2s4-minmax-neon-mlal
    ${qd8}-2x8c2s4-minmax-neon-mlal
    ${qd4}-1x16-minmax-neon-mlal-lane
    ${qd4}-2x16-minmax-neon-mlal-lane
    ${qd4}-4x16-minmax-neon-mlal-lane)
  latimer_kernels(ROLE f32 ISA neon FILES
    ${f32}-1x8-minmax-aarch64-neonfma-lane-ld128
    ${f32}-4x8-minmax-aarch64-neonfma-lane-ld128
    ${f32}-6x8-minmax-aarch64-neonfma-lane-ld128
    # For profiles without f32_fma; the linker takes one or the other.
    ${f32}-1x8-minmax-neon-lane-ld128
    ${f32}-4x8-minmax-neon-lane-ld128
    ${f32}-6x8-minmax-neon-lane-ld128)
  latimer_kernels(ROLE quantize ISA neon FILES
    ${rminmax}-neon-u16-acc4
    ${vcvt}-neonv8-u32)

  set(dotprod -march=armv8.2-a+dotprod)
  # The one of six rows does not fit into the registers.
  latimer_kernels(ROLE int8_16x4 ISA dotprod FLAGS ${dotprod} FILES
    ${qd8}-1x16c4-minmax-neondot
    ${qd8}-2x16c4-minmax-neondot
    ${qd8}-4x16c4-minmax-neondot
    ${qd4}-1x16c4-minmax-neondot
    ${qd4}-2x16c4-minmax-neondot
    ${qd4}-4x16c4-minmax-neondot)
  latimer_kernels(ROLE int8_8x8 ISA dotprod FLAGS ${dotprod} FILES
    ${qd8}-1x8c8-minmax-aarch64-neondot-ld128)
  latimer_kernels(ROLE int8_16x8 ISA dotprod FLAGS ${dotprod} FILES
    ${qd8}-1x16c8-minmax-aarch64-neondot-ld128)

  set(i8mm -march=armv8.2-a+i8mm+fp16)
  latimer_kernels(ROLE int8_8x8 ISA i8mm FLAGS ${i8mm} FILES
    ${qd8}-1x8c8-minmax-neoni8mm
    ${qd8}-2x8c8-minmax-neoni8mm
    ${qd8}-4x8c8-minmax-neoni8mm
    ${qd8}-8x8c8-minmax-neoni8mm
    ${qd4}-1x8c8-minmax-neoni8mm
    ${qd4}-2x8c8-minmax-neoni8mm
    ${qd4}-4x8c8-minmax-neoni8mm
    ${qd4}-8x8c8-minmax-neoni8mm)
  latimer_kernels(ROLE int8_16x8 ISA i8mm FLAGS ${i8mm} FILES
    ${qd8}-1x16c8-minmax-neoni8mm
    ${qd8}-2x16c8-minmax-neoni8mm
    ${qd8}-4x16c8-minmax-neoni8mm
    ${qd8}-8x16c8-minmax-neoni8mm
    ${qd4}-1x16c8-minmax-neoni8mm
    ${qd4}-2x16c8-minmax-neoni8mm
    ${qd4}-4x16c8-minmax-neoni8mm
    ${qd4}-8x16c8-minmax-neoni8mm)
else()
  # Plain C. XNNPACK's kernels for the RISC-V vector extension want a layout
  # that depends on the length of the CPU's vectors, which no file can have.
  latimer_kernels(ROLE int8_4x4 ISA scalar FILES
    ${qd8}-1x4-minmax-scalar
    ${qd8}-2x4-minmax-scalar
    ${qd8}-4x4-minmax-scalar
    ${qd4}-1x4-minmax-scalar
    ${qd4}-2x4-minmax-scalar
    ${qd4}-4x4-minmax-scalar)
  # Without the macro the source does not ask for fused multiply-add.
  latimer_kernels(ROLE f32 ISA scalar FLAGS -U__FP_FAST_FMAF FILES
    ${f32}-1x4-minmax-scalar
    ${f32}-2x4-minmax-scalar
    ${f32}-4x4-minmax-scalar)
  latimer_kernels(ROLE quantize ISA scalar FILES
    ${rminmax}-scalar-u4-acc4
    ${vcvt}-scalar-imagic-u4)
endif()

set(latimer_kernel_files "")
foreach(role IN LISTS latimer_roles)
  foreach(isa IN LISTS latimer_isas_of_${role})
    list(APPEND latimer_kernel_files ${latimer_files_${role}_${isa}})
  endforeach()
endforeach()
if(NOT latimer_kernel_files MATCHES "/qd8-")
  message(FATAL_ERROR "LATIMER_TILE: no instruction set of ${LATIMER_ISAS} "
    "has int8 kernels for tile ${LATIMER_TILE}; converter/README.md has what "
    "goes together.")
endif()
if(NOT latimer_isas_of_f32 OR NOT latimer_isas_of_quantize)
  message(FATAL_ERROR "LATIMER_ISAS: ${LATIMER_ISAS} lacks the kernels that "
    "every build needs; add ${latimer_basic_isas}.")
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

set(latimer_prefetch_folder "${CMAKE_CURRENT_LIST_DIR}/xnnpack")
file(SHA256 "${latimer_prefetch_folder}/xnnpack_prefetch.h"
  latimer_prefetch_digest)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${latimer_prefetch_folder}/xnnpack_prefetch.h")
latimer_cached_library(latimer_xnnpack_kernels CALL_GRAPH
  KEY "4ea82e5 ${latimer_prefetch_digest}"
  SOURCES ${latimer_kernel_files}
  PRIVATE_INCLUDES ${latimer_xnnpack_includes} "${latimer_prefetch_folder}"
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
