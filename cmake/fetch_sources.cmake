# Fetches the sources of others that builds and tests compile, for machines
# without a network:
#
#   cmake -DTO=<folder> -P cmake/fetch_sources.cmake
#
# Copy the folder, and let the environment variable LATIMER_CACHE_DIR name it
# there. What is in it already is verified.
cmake_minimum_required(VERSION 3.25)
if(NOT TO)
  message(FATAL_ERROR "Give the folder: cmake -DTO=<folder> -P "
    "${CMAKE_CURRENT_LIST_FILE}")
endif()
get_filename_component(LATIMER_CACHE_DIR "${TO}" ABSOLUTE)
get_filename_component(PROJECT_SOURCE_DIR "${CMAKE_CURRENT_LIST_DIR}" DIRECTORY)
string(RANDOM random)
set(PROJECT_BINARY_DIR "${LATIMER_CACHE_DIR}/licences.${random}")
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
include(LatimerDependency)

set(part programs)
set(count 0)
foreach(file IN ITEMS cmake/LatimerDependencies.cmake cmake/LatimerXnnpack.cmake
    tests/cmake/GoogleTest.cmake)
  if(NOT EXISTS "${PROJECT_SOURCE_DIR}/${file}")
    continue()  # The installed source has no tests.
  endif()
  file(READ "${PROJECT_SOURCE_DIR}/${file}" text)
  string(REGEX REPLACE "(^|\n) *#[^\n]*" "" text "${text}")
  string(REGEX MATCHALL "latimer_dependency\\([^)]+\\)" calls "${text}")
  foreach(call IN LISTS calls)
    cmake_language(EVAL CODE "${call}")
    math(EXPR count "${count} + 1")
  endforeach()
endforeach()
file(REMOVE_RECURSE "${PROJECT_BINARY_DIR}")
message(STATUS "${LATIMER_CACHE_DIR} has ${count} sources")
