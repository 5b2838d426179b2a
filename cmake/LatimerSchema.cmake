# latimer_schema: the C++ header of schema/model.fbs, as "model_generated.h".
# The schema compiler is made from the pinned FlatBuffers once per machine: it
# runs where the build does, even if the rest is cross-compiled.
include_guard()
include(LatimerDependencies)

if(CMAKE_CROSSCOMPILING)
  find_program(LATIMER_HOST_CXX NAMES c++ g++ clang++ REQUIRED)
else()
  set(LATIMER_HOST_CXX "${CMAKE_CXX_COMPILER}")
endif()
set(latimer_compiler_source "${CMAKE_CURRENT_LIST_DIR}/schema_compiler.cc")
file(SHA256 "${latimer_compiler_source}" latimer_compiler_hash)
string(SHA256 latimer_compiler_hash "${latimer_compiler_hash} 23.5.26
  ${CMAKE_HOST_SYSTEM_NAME} ${CMAKE_HOST_SYSTEM_PROCESSOR}")
string(SUBSTRING "${latimer_compiler_hash}" 0 16 latimer_compiler_hash)
set(latimer_compiler
  "${LATIMER_STORE_DIR}/bin/schema_compiler-${latimer_compiler_hash}")
# A cached one may be from a machine with other system libraries.
execute_process(COMMAND "${latimer_compiler}" RESULT_VARIABLE latimer_result
  OUTPUT_QUIET ERROR_QUIET)
if(NOT latimer_result EQUAL 2)
  file(REMOVE "${latimer_compiler}")
endif()

# Unoptimized: it runs for milliseconds on one small schema.
set(latimer_compiler_sources "${latimer_compiler_source}")
foreach(name IN ITEMS code_generators idl_gen_cpp idl_gen_text idl_parser
    reflection util)
  list(APPEND latimer_compiler_sources
    "${FLATBUFFERS_SOURCE_DIR}/src/${name}.cpp")
endforeach()
set(latimer_built "${CMAKE_BINARY_DIR}/schema_compiler")
add_custom_command(OUTPUT "${latimer_compiler}"
  COMMAND "${LATIMER_HOST_CXX}" -std=c++17 -O0 -w
    "-I${FLATBUFFERS_SOURCE_DIR}/include" "-I${FLATBUFFERS_SOURCE_DIR}/src"
    "-I${FLATBUFFERS_SOURCE_DIR}" ${latimer_compiler_sources}
    -o "${latimer_built}"
  COMMAND "${CMAKE_COMMAND}" "-DFROM=${latimer_built}"
    "-DTO=${latimer_compiler}" -DMUST=ON
    -P "${CMAKE_CURRENT_LIST_DIR}/store_in_cache.cmake"
  COMMENT "Building the schema compiler for this machine" VERBATIM)

set(latimer_schema_file "${PROJECT_SOURCE_DIR}/schema/model.fbs")
set(latimer_generated "${PROJECT_BINARY_DIR}/generated/schema")
add_custom_command(OUTPUT "${latimer_generated}/model_generated.h"
  COMMAND "${latimer_compiler}" "${latimer_schema_file}" "${latimer_generated}"
  DEPENDS "${latimer_schema_file}" "${latimer_compiler}"
  COMMENT "Generating model_generated.h" VERBATIM)
add_custom_target(latimer_schema_header
  DEPENDS "${latimer_generated}/model_generated.h")
add_library(latimer_schema INTERFACE)
target_link_libraries(latimer_schema INTERFACE latimer_flatbuffers)
add_dependencies(latimer_schema latimer_schema_header)
target_include_directories(latimer_schema SYSTEM INTERFACE
  "${latimer_generated}")
