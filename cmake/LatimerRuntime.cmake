# latimer_add_runtime(), and how the code in runtime/ is compiled: without
# exceptions and RTTI, parts of it once per instruction set.
include_guard()
include(LatimerEmbed)
include(LatimerOptions)
include(LatimerSchema)
include(LatimerXnnpack)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

file(GLOB_RECURSE latimer_runtime_sources CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/runtime/*.cc")
# Packing is the converter's work.
list(FILTER latimer_runtime_sources EXCLUDE
  REGEX "/runtime/(cli|signature)/|(_isa|/pack)\\.cc$")
set(latimer_ops "${PROJECT_SOURCE_DIR}/runtime/ops")
set(latimer_isa_sources_gemm_int8 "${latimer_ops}/gemm_int8_isa.cc")
set(latimer_isa_sources_nibble "${latimer_ops}/nibble/dot_isa.cc")
file(GLOB latimer_isa_sources_vector CONFIGURE_DEPENDS "${latimer_ops}/*_isa.cc")
list(REMOVE_ITEM latimer_isa_sources_vector ${latimer_isa_sources_gemm_int8})

# Properties that all of our code in the runtime has.
function(latimer_runtime_properties target)
  target_include_directories(${target} PUBLIC
    "${PROJECT_SOURCE_DIR}/runtime/include" "${PROJECT_SOURCE_DIR}/runtime"
    "${LATIMER_BOARD_INCLUDE_DIR}" "${latimer_kernels_include_dir}")
  target_link_libraries(${target} PUBLIC latimer_schema latimer_xxhash
    PRIVATE latimer_options)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>)
endfunction()

# latimer_add_runtime(<target> PROFILE <header> [UNITY]): a static library of the
# whole runtime with the capacities and features of that profile header. UNITY
# compiles several files at once, which is faster if all of it is built anyway.
function(latimer_add_runtime target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNITY" "PROFILE" "")
  get_filename_component(profile "${arg_PROFILE}" ABSOLUTE
    BASE_DIR "${PROJECT_SOURCE_DIR}")
  set(generated "${PROJECT_BINARY_DIR}/generated/${target}")
  get_filename_component(name "${profile}" NAME_WE)
  file(CONFIGURE OUTPUT "${generated}/latimer/profile_config.h" CONTENT
    "// The profile of ${target}.
#pragma once
#include \"${profile}\"

#define LATIMER_PROFILE_NAME \"${name}\"
")

  add_library(${target} STATIC ${latimer_runtime_sources})
  latimer_runtime_properties(${target})
  target_include_directories(${target} PUBLIC "${generated}")
  target_link_libraries(${target} PUBLIC Threads::Threads
    PRIVATE latimer_xnnpack_kernels latimer_xnnpack_headers)
  set(parts ${target})
  foreach(role IN ITEMS vector nibble gemm_int8)
    foreach(isa IN LISTS latimer_isas_of_${role})
      set(part ${target}_${role}_${isa})
      add_library(${part} OBJECT ${latimer_isa_sources_${role}})
      latimer_runtime_properties(${part})
      target_include_directories(${part} PUBLIC "${generated}")
      target_compile_options(${part} PRIVATE ${latimer_isa_flags_${isa}} -O3)
      target_compile_definitions(${part} PRIVATE LATIMER_ISA=${isa})
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
      list(APPEND parts ${part})
    endforeach()
  endforeach()
  set_target_properties(${parts} PROPERTIES UNITY_BUILD ${arg_UNITY})
  if(NOT arg_UNITY)
    latimer_write_call_graph(${parts})
  endif()
endfunction()
