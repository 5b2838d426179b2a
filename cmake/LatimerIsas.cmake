# Which instruction sets serve which role, from LATIMER_ISAS, LATIMER_TILE and
# LATIMER_DISPATCH. A role is what kernels are for: int8_<tile>, f32, quantize,
# and vector and nibble, our own code.
include_guard()
include(LatimerCachedLibrary)  # LATIMER_TARGET_TRIPLE

# From the oldest to the newest, and the ones of which a build needs one.
if(LATIMER_TARGET_TRIPLE MATCHES "^(x86_64|amd64)")
  set(LATIMER_ARCH x86_64)
  set(latimer_all_isas sse41 avx2 avxvnni avx512 avx512vnni)
  set(latimer_basic_isas "sse41 or avx2")
elseif(LATIMER_TARGET_TRIPLE MATCHES "^(aarch64|arm64)")
  set(LATIMER_ARCH aarch64)
  set(latimer_all_isas neon dotprod i8mm)
  set(latimer_basic_isas neon)
elseif(LATIMER_TARGET_TRIPLE MATCHES "^arm")
  set(LATIMER_ARCH armv7)
  set(latimer_all_isas neon)
  set(latimer_basic_isas neon)
elseif(LATIMER_TARGET_TRIPLE MATCHES "^riscv64")
  set(LATIMER_ARCH riscv64)
  set(latimer_all_isas scalar)
  set(latimer_basic_isas scalar)
else()
  message(FATAL_ERROR "Latimer has no kernels for ${LATIMER_TARGET_TRIPLE}; "
    "it runs on x86_64, aarch64, riscv64 and armv7 with NEON.")
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

set(latimer_all_tiles 4x8 8x8 16x8 16x4 8x2s4 4x4)
set_property(CACHE LATIMER_TILE PROPERTY STRINGS "" ${latimer_all_tiles})
if(LATIMER_TILE AND NOT LATIMER_TILE IN_LIST latimer_all_tiles)
  message(FATAL_ERROR "LATIMER_TILE: ${LATIMER_TILE} is not one of "
    "${latimer_all_tiles}, the tiles of int8 weights.")
endif()

# Lets an instruction set of this build serve a role: beside the older ones or,
# without dispatch, instead of them. Call it from the oldest to the newest. The
# results are latimer_roles and latimer_isas_of_<role>.
set(latimer_roles "")
macro(latimer_add_isa_to_role role isa)
  if("${isa}" IN_LIST LATIMER_ISAS AND (NOT "${role}" MATCHES "^int8_"
      OR NOT LATIMER_TILE OR "${role}" STREQUAL "int8_${LATIMER_TILE}"))
    if(NOT LATIMER_DISPATCH)
      set(latimer_isas_of_${role} "")
    endif()
    list(APPEND latimer_roles ${role})
    list(APPEND latimer_isas_of_${role} ${isa})
    list(REMOVE_DUPLICATES latimer_roles)
    list(REMOVE_DUPLICATES latimer_isas_of_${role})
  endif()
endmacro()
