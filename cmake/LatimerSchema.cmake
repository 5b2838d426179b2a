# latimer_schema: the C++ header of schema/model.fbs, as "model_generated.h".
# Its compiler is built from the pinned FlatBuffers for the machine that
# builds, also when the rest is cross-compiled.
include_guard()
include(LatimerDependencies)

set(latimer_compiler_dir "${PROJECT_SOURCE_DIR}/cmake/schema_compiler")
file(SHA256 "${latimer_compiler_dir}/schema_compiler.cc" latimer_compiler_hash)
string(SHA256 latimer_compiler_hash "${latimer_compiler_hash} 23.5.26
  ${CMAKE_HOST_SYSTEM_NAME} ${CMAKE_HOST_SYSTEM_PROCESSOR}")
string(SUBSTRING "${latimer_compiler_hash}" 0 16 latimer_compiler_hash)
set(LATIMER_SCHEMA_COMPILER
  "${LATIMER_STORE_DIR}/bin/schema_compiler-${latimer_compiler_hash}")
# A cached one may be from a machine with other system libraries.
if(EXISTS "${LATIMER_SCHEMA_COMPILER}")
  execute_process(COMMAND "${LATIMER_SCHEMA_COMPILER}"
    RESULT_VARIABLE latimer_result OUTPUT_QUIET ERROR_QUIET)
  if(NOT latimer_result EQUAL 2)
    file(REMOVE "${LATIMER_SCHEMA_COMPILER}")
  endif()
endif()

# A rule here and not only when it is missing: it may vanish from the cache.
add_custom_command(OUTPUT "${LATIMER_SCHEMA_COMPILER}"
  COMMAND "${CMAKE_COMMAND}" -E env --unset=MAKEFLAGS --unset=MFLAGS
    --unset=MAKELEVEL --unset=CXXFLAGS --unset=LDFLAGS
    "${CMAKE_COMMAND}" "-DFLATBUFFERS=${FLATBUFFERS_SOURCE_DIR}"
    "-DBUILD=${CMAKE_BINARY_DIR}/_schema_compiler"
    "-DTO=${LATIMER_SCHEMA_COMPILER}" -P "${latimer_compiler_dir}/build.cmake"
  COMMENT "Building the schema compiler for this machine" VERBATIM)

add_library(latimer_schema INTERFACE)
target_link_libraries(latimer_schema INTERFACE latimer_flatbuffers)
set(latimer_schema_file "${PROJECT_SOURCE_DIR}/schema/model.fbs")
set(latimer_generated "${PROJECT_BINARY_DIR}/generated/schema")
add_custom_command(OUTPUT "${latimer_generated}/model_generated.h"
  COMMAND "${LATIMER_SCHEMA_COMPILER}" "${latimer_schema_file}"
    "${latimer_generated}"
  DEPENDS "${latimer_schema_file}" "${LATIMER_SCHEMA_COMPILER}"
  COMMENT "Generating model_generated.h" VERBATIM)
add_custom_target(latimer_schema_header
  DEPENDS "${latimer_generated}/model_generated.h")
add_dependencies(latimer_schema latimer_schema_header)
target_include_directories(latimer_schema SYSTEM INTERFACE
  "${latimer_generated}")
