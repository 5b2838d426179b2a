# Builds schema_compiler in the folder BUILD and puts it at TO.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${BUILD}")  # May be from another version.
foreach(step IN ITEMS configure build)
  if(step STREQUAL "configure")
    set(command "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${BUILD}"
      -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=None
      "-DFLATBUFFERS=${FLATBUFFERS}")
  else()
    set(command "${CMAKE_COMMAND}" --build "${BUILD}" --parallel 4)
  endif()
  execute_process(COMMAND ${command} RESULT_VARIABLE result
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "Cannot ${step} the schema compiler:\n${output}")
  endif()
endforeach()
set(FROM "${BUILD}/schema_compiler")
include("${CMAKE_CURRENT_LIST_DIR}/../store_in_cache.cmake")
if(NOT EXISTS "${TO}")
  message(FATAL_ERROR "Cannot write ${TO}: set -DLATIMER_CACHE_DIR to a "
    "folder that can be written, or to OFF.")
endif()
file(REMOVE_RECURSE "${BUILD}")
