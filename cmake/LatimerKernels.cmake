# The kernels of this build, from runtime/ops/xnnpack/kernels.txt, LATIMER_ISAS,
# LATIMER_TILE and LATIMER_DISPATCH:
#
#   LATIMER_ARCH           x86_64, aarch64, armv7 or riscv64
#   LATIMER_ISAS           the instruction sets, by default all
#   latimer_kernel_files   XNNPACK's sources; their flags are a property of each
#   latimer_isas_of_<role> the instruction sets that our own kernels, of the
#                          roles "vector", "nibble" and "gemm_int8", are
#                          compiled for
#
# and two headers in latimer_kernels_include_dir: base/isas_in_build.h and
# ops/xnnpack/kernels_in_build.h.
include_guard()
include(LatimerCachedLibrary)  # LATIMER_TARGET_TRIPLE

if(LATIMER_TARGET_TRIPLE MATCHES "^(x86_64|amd64)")
  set(LATIMER_ARCH x86_64)
elseif(LATIMER_TARGET_TRIPLE MATCHES "^(aarch64|arm64)")
  set(LATIMER_ARCH aarch64)
elseif(LATIMER_TARGET_TRIPLE MATCHES "^arm")
  set(LATIMER_ARCH armv7)
elseif(LATIMER_TARGET_TRIPLE MATCHES "^riscv64")
  set(LATIMER_ARCH riscv64)
else()
  message(FATAL_ERROR "Latimer has no kernels for ${LATIMER_TARGET_TRIPLE}; "
    "it runs on x86_64, aarch64, riscv64 and armv7 with NEON.")
endif()

# Sets types, isa, tile, cost and kernels from a row of the list.
macro(latimer_read_row row)
  separate_arguments(kernels UNIX_COMMAND "${row}")
  list(POP_FRONT kernels types archs isa tile cost)
  string(REPLACE "," ";" types "${types}")
  string(REPLACE "," ";" archs "${archs}")
endmacro()

# ---- What there is, and what LATIMER_ISAS and LATIMER_TILE ask for ----------

set(latimer_kernel_list "${PROJECT_SOURCE_DIR}/runtime/ops/xnnpack/kernels.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${latimer_kernel_list}")
file(STRINGS "${latimer_kernel_list}" all_rows REGEX "^[a-z]")
set(rows "")        # Of this architecture.
set(all_isas "")    # Oldest first.
set(basic_isas "")  # A build needs one of these.
set(all_tiles "")
foreach(row IN LISTS all_rows)
  latimer_read_row("${row}")
  if("int8" IN_LIST types)
    list(APPEND all_tiles ${tile})
  endif()
  if(NOT LATIMER_ARCH IN_LIST archs)
    continue()
  endif()
  list(APPEND rows "${row}")
  if("int8" IN_LIST types)
    list(PREPEND all_isas ${isa})
  elseif(types MATCHES "f32")
    list(PREPEND basic_isas ${isa})
  endif()
endforeach()
list(REMOVE_DUPLICATES all_isas)
list(REMOVE_DUPLICATES basic_isas)
list(REMOVE_DUPLICATES all_tiles)

if(NOT LATIMER_ISAS)
  set(LATIMER_ISAS ${all_isas})
endif()
foreach(isa IN LISTS LATIMER_ISAS)
  if(NOT isa IN_LIST all_isas)
    message(FATAL_ERROR "LATIMER_ISAS: ${isa} is not one of ${all_isas}, the "
      "instruction sets for ${LATIMER_ARCH}.")
  endif()
endforeach()
set_property(CACHE LATIMER_TILE PROPERTY STRINGS "" ${all_tiles})
if(LATIMER_TILE AND NOT LATIMER_TILE IN_LIST all_tiles)
  message(FATAL_ERROR "LATIMER_TILE: ${LATIMER_TILE} is not one of "
    "${all_tiles}, the tiles of int8 weights.")
endif()

# Sets `result` to whether kernels for this instruction set serve a role: those
# of LATIMER_ISAS do or, without dispatch, the newest of them. Ask from the
# newest to the oldest.
macro(latimer_serves role isa result)
  set(${result} OFF)
  if("${isa}" IN_LIST LATIMER_ISAS AND (LATIMER_DISPATCH
      OR NOT latimer_isas_of_${role} OR "${isa}" IN_LIST latimer_isas_of_${role}))
    list(APPEND latimer_isas_of_${role} ${isa})
    list(REMOVE_DUPLICATES latimer_isas_of_${role})
    set(${result} ON)
  endif()
endmacro()

# ---- XNNPACK's kernels ------------------------------------------------------

# The flags with which XNNPACK's own build compiles kernels with this word in
# their names.
set(flags_sse -msse4.1 -mno-sse4.2)
set(flags_sse41 ${flags_sse})
set(flags_avx -mavx -mno-avx2 -mno-fma -mno-f16c)
set(flags_fma3 -mf16c -mfma -mno-avx2)
set(flags_avx2 -mf16c -mfma -mavx2)
set(flags_avxvnni ${flags_avx2} -mavxvnni -fno-asynchronous-unwind-tables)
set(flags_avx512f -mavx512f -fno-asynchronous-unwind-tables)
set(flags_avx512skx -mf16c -mfma -mavx512f -mavx512cd -mavx512bw -mavx512dq
  -mavx512vl -fno-asynchronous-unwind-tables)
set(flags_avx512vnni ${flags_avx512skx} -mavx512vnni)
set(flags_avx256vnni ${flags_avx512vnni})
if(LATIMER_ARCH STREQUAL "armv7")
  set(flags_neon -marm -march=armv7-a -mfpu=neon)
endif()
set(flags_neondot -march=armv8.2-a+dotprod)
set(flags_neoni8mm -march=armv8.2-a+i8mm+fp16)

# Adds XNNPACK's kernel `name` in `folder` to the sources and sets `function` to
# its C name; `variant` is "minmax" or "". Nothing is fused that the source does
# not fuse: GCC would contract vmulq and vaddq.
macro(latimer_add_kernel folder variant name)
  string(REPLACE "-" "_" function "xnn_${folder}${variant}_ukernel_${name}")
  string(REGEX REPLACE "[-_]_" "${variant}-" file "${folder}-${name}")
  string(REPLACE "_" "-" file "${file}")
  set(file "${XNNPACK_SOURCE_DIR}/src/${folder}/gen/${file}.c")
  string(REGEX MATCH "(^|_)_(aarch64_)?([a-z0-9]+)" word "${name}")
  set(flags ${flags_${CMAKE_MATCH_3}} -fno-math-errno -ffp-contract=off)
  if("${name}" MATCHES "_prfm$")
    # Found by include folder, which is not part of the library's key.
    list(APPEND flags -include xnnpack_prefetch.h)
  endif()
  if("${folder}" STREQUAL "f32-gemm" AND "${name}" MATCHES "_scalar$")
    # Without this macro the source does not ask for fused multiply-add.
    list(PREPEND flags -U__FP_FAST_FMAF)
  endif()
  set_source_files_properties("${file}" PROPERTIES COMPILE_OPTIONS "${flags}")
  list(APPEND latimer_kernel_files "${file}")
endmacro()

set(folder_of_int8 qd8-f32-qc8w-gemm)
set(folder_of_int4 qd8-f32-qc4w-gemm)
set(folder_of_f32_fused f32-gemm)
set(folder_of_f32_unfused f32-gemm)
set(latimer_kernel_files "")
foreach(row IN LISTS rows)
  latimer_read_row("${row}")
  if(types STREQUAL "quantize")
    latimer_serves(quantize ${isa} serves)
    if(serves)
      list(POP_FRONT kernels minmax convert)
      latimer_add_kernel(f32-rminmax "" _${minmax})
      set(minmax ${function})
      latimer_add_kernel(f32-qs8-vcvt "" _${convert})
      string(APPEND table_quantize " \\\n  SET(${isa}, ${minmax}, \
    ${function})")
    endif()
    continue()
  endif()
  set(role f32)
  if(types MATCHES "int")
    set(role int8_${tile})
    if(LATIMER_TILE AND NOT LATIMER_TILE STREQUAL tile)
      continue()
    endif()
  endif()
  latimer_serves(${role} ${isa} serves)
  if(NOT serves)
    continue()
  endif()
  foreach(type IN LISTS types)
    string(APPEND table_${type} " \\\n  SET(k${tile}, ${isa}, ${cost}")
    foreach(kernel IN LISTS kernels)
      if(kernel STREQUAL "own")
        list(APPEND latimer_isas_of_gemm_int8 ${isa})
        string(APPEND table_gemm_int8 " X(${isa})")
        string(APPEND table_${type} ", \\\n    OWN_GEMM_INT8(${isa})")
        continue()
      endif()
      string(REGEX MATCH "^([0-9,]+)(x.*)$" match "${kernel}")
      set(name "${CMAKE_MATCH_2}")
      string(REPLACE "," ";" counts "${CMAKE_MATCH_1}")
      foreach(count IN LISTS counts)
        latimer_add_kernel(${folder_of_${type}} -minmax ${count}${name})
        string(APPEND table_${type} ", \\\n    KERNEL(${count}, ${function})")
      endforeach()
    endforeach()
    string(APPEND table_${type} ")")
  endforeach()
endforeach()
list(REMOVE_DUPLICATES latimer_kernel_files)

if(NOT table_int8)
  message(FATAL_ERROR "LATIMER_TILE: no instruction set of ${LATIMER_ISAS} "
    "has int8 kernels for tile ${LATIMER_TILE}; converter/README.md has what "
    "goes together.")
endif()
if(NOT latimer_isas_of_f32 OR NOT latimer_isas_of_quantize)
  list(JOIN basic_isas " or " basic_isas)
  message(FATAL_ERROR "LATIMER_ISAS: ${LATIMER_ISAS} lacks the kernels that "
    "every build needs; add ${basic_isas}.")
endif()

# ---- Our own kernels --------------------------------------------------------

# The *_isa.cc files are compiled once for each of these, with
# LATIMER_ISA=<name>; nibble/dot_isa.cc, which multiplies bytes, for others than
# the rest.
set(isas_vector avx512 avx2 sse41 neon scalar)
set(isas_nibble avx512vnni avx2 sse41 dotprod neon scalar)
foreach(role IN ITEMS vector nibble)
  foreach(isa IN LISTS isas_${role})
    latimer_serves(${role} ${isa} serves)
    if(serves)
      string(APPEND table_${role} " X(${isa})")
    endif()
  endforeach()
endforeach()

# ---- What C++ sees ----------------------------------------------------------

set(latimer_kernels_include_dir "${PROJECT_BINARY_DIR}/generated/kernels")
list(JOIN LATIMER_ISAS " " isas)
file(CONFIGURE OUTPUT "${latimer_kernels_include_dir}/base/isas_in_build.h"
  CONTENT "// The instruction sets that this build has kernels for.
#pragma once

#define LATIMER_ISAS_IN_BUILD \"${isas}\"

// The best first: X(isa) for each that our own kernels are compiled for.
#define LATIMER_VECTOR_ISAS(X)${table_vector}
#define LATIMER_NIBBLE_ISAS(X)${table_nibble}
#define LATIMER_GEMM_INT8_ISAS(X)${table_gemm_int8}
")
file(CONFIGURE
  OUTPUT "${latimer_kernels_include_dir}/ops/xnnpack/kernels_in_build.h"
  CONTENT "// XNNPACK's kernels in this build, made from kernels.txt: the best first,
// SET(tile, isa, cost, kernels...) with KERNEL(rows, function) or our own,
// OWN_GEMM_INT8(isa).
#pragma once

#define LATIMER_INT8_KERNELS(SET, KERNEL)${table_int8}

#define LATIMER_INT4_KERNELS(SET, KERNEL)${table_int4}

#define LATIMER_F32_FUSED_KERNELS(SET, KERNEL)${table_f32_fused}

#define LATIMER_F32_UNFUSED_KERNELS(SET, KERNEL)${table_f32_unfused}

// SET(isa, minmax function, conversion function)
#define LATIMER_QUANTIZE_KERNELS(SET)${table_quantize}
")
