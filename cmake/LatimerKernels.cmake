# The kernels of this build, from runtime/base/isas.txt,
# runtime/ops/xnnpack/kernels.txt, LATIMER_ISAS, LATIMER_TILE and
# LATIMER_DISPATCH:
#
#   LATIMER_ARCH             x86_64, aarch64, armv7, cortex_m, riscv
#                            or wasm32
#   LATIMER_ISAS             the instruction sets, by default all
#   latimer_isa_flags_<isa>  the compiler's flags for one
#   latimer_kernel_files     XNNPACK's sources; their flags are a property of
#                            each
#   latimer_isas_of_<role>   the instruction sets that our own kernels, of the
#                            roles "vector", "nibble" and "gemm_int8", are
#                            compiled for
#
# and two headers in latimer_kernels_include_dir: base/isas_in_build.h and
# ops/xnnpack/kernels_in_build.h.
include_guard()
include(LatimerIsas)

# ---- What there is, and what LATIMER_ISAS asks for --------------------------

separate_arguments(flags UNIX_COMMAND
  "${CMAKE_CXX_COMPILER_ARG1} ${CMAKE_CXX_FLAGS}")
if(CMAKE_CXX_COMPILER_TARGET)  # Of Clang.
  list(APPEND flags ${CMAKE_CXX_COMPILE_OPTIONS_TARGET}${CMAKE_CXX_COMPILER_TARGET})
endif()
execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${flags} -dumpmachine
  OUTPUT_VARIABLE triple OUTPUT_STRIP_TRAILING_WHITESPACE)
if(triple MATCHES "^(x86_64|amd64)")
  set(LATIMER_ARCH x86_64)
elseif(triple MATCHES "^(aarch64|arm64)")
  set(LATIMER_ARCH aarch64)
elseif(triple MATCHES "^arm-none-eabi")
  set(LATIMER_ARCH cortex_m)
elseif(triple MATCHES "^arm")
  set(LATIMER_ARCH armv7)
elseif(triple MATCHES "^riscv(32|64)")
  set(LATIMER_ARCH riscv)
elseif(triple MATCHES "^wasm32")
  set(LATIMER_ARCH wasm32)
else()
  message(FATAL_ERROR "Latimer has no kernels for ${triple}; it runs on x86_64, "
    "aarch64, RISC-V, armv7 with NEON, Cortex-M and wasm32.")
endif()

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${latimer_isas_file}")
latimer_read_isas(${LATIMER_ARCH})
set(all_isas "")
foreach(isa IN LISTS latimer_known_isas)
  if(CMAKE_CXX_FLAGS MATCHES "-mfpu=")  # A board's own holds.
    list(FILTER latimer_isa_flags_${isa} EXCLUDE REGEX "^-mfpu=")
  endif()
  if("asked" IN_LIST latimer_isa_uses_${isa})
    include(CheckCXXCompilerFlag)
    string(TOUPPER "LATIMER_KNOWS_${isa}" known)
    list(JOIN latimer_isa_flags_${isa} " " flags)
    check_cxx_compiler_flag("${flags}" ${known})
    if(NOT ${known})
      continue()
    endif()
  endif()
  list(APPEND all_isas ${isa})
endforeach()

if(NOT LATIMER_ISAS)
  set(LATIMER_ISAS ${all_isas})
endif()
foreach(isa IN LISTS LATIMER_ISAS)
  if(NOT isa IN_LIST all_isas)
    message(FATAL_ERROR "LATIMER_ISAS: ${isa} is not one of ${all_isas}, the "
      "instruction sets for ${LATIMER_ARCH}.")
  endif()
endforeach()

# Sets `serves` to whether kernels for `isa` serve a role: those of LATIMER_ISAS
# do or, without dispatch, the newest of them. Ask from the newest to the
# oldest, once for each.
macro(latimer_serves role isa)
  set(serves OFF)
  if("${isa}" IN_LIST LATIMER_ISAS
      AND (LATIMER_DISPATCH OR NOT latimer_isas_of_${role}))
    list(APPEND latimer_isas_of_${role} ${isa})
    set(serves ON)
  endif()
endmacro()

# ---- XNNPACK's kernels ------------------------------------------------------

# Adds XNNPACK's kernel `name` in `folder` to the sources and sets `function` to
# its C name; `variant` is "-minmax" or "". Nothing is fused that the source
# does not fuse: GCC would contract vmulq and vaddq.
macro(latimer_add_kernel folder variant name)
  string(REPLACE "-" "_" function "xnn_${folder}${variant}_ukernel_${name}")
  string(REGEX REPLACE "[-_]_" "${variant}-" file "${folder}-${name}")
  string(REPLACE "_" "-" file "${file}")
  set(file "${XNNPACK_SOURCE_DIR}/src/${folder}/gen/${file}.c")
  set(flags ${latimer_isa_flags_${isa}} -fno-math-errno -ffp-contract=off
    -fno-asynchronous-unwind-tables)
  if(LATIMER_ARCH STREQUAL "armv7")
    list(APPEND flags -marm)
  endif()
  if("${name}" MATCHES "_prfm$")
    list(APPEND flags -include xnnpack_prefetch.h)
  elseif("${folder}" STREQUAL "f32-gemm" AND "${name}" MATCHES "_scalar$")
    # Without these macros the source does not ask for fused multiply-add.
    list(PREPEND flags -U__FP_FAST_FMAF -U__clang__)
  endif()
  set_source_files_properties("${file}" PROPERTIES COMPILE_OPTIONS "${flags}")
  list(APPEND latimer_kernel_files "${file}")
endmacro()

# Has ours compiled for `isa`.
macro(latimer_has_own_kernels isa)
  if(NOT ${isa} IN_LIST latimer_isas_of_gemm_int8)
    list(APPEND latimer_isas_of_gemm_int8 ${isa})
    string(APPEND table_gemm_int8 " X(${isa})")
  endif()
endmacro()

set(folder_of_int8 qd8-f32-qc8w-gemm)
set(folder_of_int4 qd8-f32-qc4w-gemm)
set(folder_of_f32 f32-gemm)
set(latimer_kernel_files "")
set(list "${PROJECT_SOURCE_DIR}/runtime/ops/xnnpack/kernels.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}")
file(STRINGS "${list}" rows REGEX "^${LATIMER_ARCH} ")
foreach(row IN LISTS rows)
  string(REPLACE " " ";" kernels "${row}")
  list(POP_FRONT kernels arch types isa tile cost)
  string(REPLACE "," ";" types "${types}")
  foreach(type IN LISTS types)
    if(LATIMER_TILE AND type MATCHES "int" AND NOT LATIMER_TILE STREQUAL tile)
      continue()
    endif()
    latimer_serves(${type}_${tile} ${isa})
    if(NOT serves)
      continue()
    endif()
    if(type STREQUAL "quantize")
      list(POP_FRONT kernels minmax convert)
      latimer_add_kernel(f32-rminmax "" _${minmax})
      set(minmax ${function})
      latimer_add_kernel(f32-qs8-vcvt "" _${convert})
      string(APPEND table_quantize
        " \\\n  SET(${isa}, ${minmax}, \\\n    ${function})")
      continue()
    endif()
    if(type STREQUAL "int6")
      latimer_has_own_kernels(${isa})
      string(REPLACE "own" "" most_rows "${kernels}")
      if(NOT most_rows)
        set(most_rows SIZE_MAX)
      endif()
      string(APPEND table_int6 " \\\n  KERNEL(k${tile}, ${isa}, ${most_rows})")
      continue()
    endif()
    string(APPEND table_${type} " \\\n  SET(k${tile}, ${isa}, ${cost}")
    foreach(kernel IN LISTS kernels)
      string(REGEX MATCH "^([0-9,]+)(x.*|own)$" match "${kernel}")
      set(name "${CMAKE_MATCH_2}")
      string(REPLACE "," ";" counts "${CMAKE_MATCH_1}")
      if(name STREQUAL "own")
        latimer_has_own_kernels(${isa})
        string(TOUPPER "${type}" own)
      endif()
      foreach(count IN LISTS counts)
        if(name STREQUAL "own")
          string(APPEND table_${type} ", \\\n    OWN_GEMM_${own}(${count}, ${isa})")
          continue()
        endif()
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
if(NOT table_f32 OR NOT table_quantize)
  list(GET all_isas 0 oldest)
  message(FATAL_ERROR "LATIMER_ISAS: ${LATIMER_ISAS} lacks the kernels that "
    "every build needs; add ${oldest}.")
endif()

# ---- Our own kernels --------------------------------------------------------

# The *_isa.cc files are compiled once for each of these, with
# LATIMER_ISA=<name>.
list(REVERSE latimer_known_isas)  # The newest first.
foreach(role IN ITEMS vector nibble)
  foreach(isa IN LISTS latimer_known_isas)
    if(NOT role IN_LIST latimer_isa_uses_${isa})
      continue()
    endif()
    latimer_serves(${role} ${isa})
    if(serves)
      string(APPEND table_${role} " X(${isa})")
    endif()
  endforeach()
endforeach()
list(REVERSE latimer_known_isas)

# ---- What C++ sees ----------------------------------------------------------

set(latimer_kernels_include_dir "${PROJECT_BINARY_DIR}/generated/kernels")
list(JOIN LATIMER_ISAS " " isas)
list(TRANSFORM latimer_every_isa REPLACE "(.+)" " X(\\1)" OUTPUT_VARIABLE every_isa)
list(JOIN every_isa "" every_isa)
set(limits "")
foreach(isa IN LISTS latimer_known_isas)
  set(implied "&CpuFeatures::${latimer_isa_implied_${isa}}")
  if(implied STREQUAL "&CpuFeatures::-")
    set(implied nullptr)
  endif()
  set(in_build false)
  if(isa IN_LIST LATIMER_ISAS)
    set(in_build true)
  endif()
  set(goes_with_previous true)
  if("limit" IN_LIST latimer_isa_uses_${isa})
    set(goes_with_previous false)
    list(APPEND limits ${isa})
  endif()
  string(APPEND isa_rows
    " \\\n  ROW(${isa}, ${in_build}, ${implied}, ${goes_with_previous})")
endforeach()
list(JOIN limits "|" limits)
configure_file("${CMAKE_CURRENT_LIST_DIR}/isas_in_build.h.in"
  "${latimer_kernels_include_dir}/base/isas_in_build.h" @ONLY)
configure_file("${CMAKE_CURRENT_LIST_DIR}/kernels_in_build.h.in"
  "${latimer_kernels_include_dir}/ops/xnnpack/kernels_in_build.h" @ONLY)
