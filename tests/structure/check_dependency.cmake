# latimer_dependency() if the pinned files can be had, and if they cannot.
#   cmake -DROOT=<source dir> -DWORK=<folder> -P check_dependency.cmake
cmake_minimum_required(VERSION 3.25)
list(APPEND CMAKE_MODULE_PATH "${ROOT}/cmake")
set(LATIMER_CACHE_DIR "${WORK}/cache")
include(LatimerDependency)

set(archive "${WORK}/thing.tar.gz")
if(CASE STREQUAL "required")
  latimer_dependency(THING VERSION 2 SPDX MIT PART tests PATHS a.h
    SHA256 0123456789abcdef
    URL "file://${archive}")
  return()  # Not reached.
endif()

file(REMOVE_RECURSE "${WORK}")
file(WRITE "${WORK}/upstream/thing-1/a.h" "int a;\n")
execute_process(COMMAND "${CMAKE_COMMAND}" -E tar czf "${archive}" thing-1
  WORKING_DIRECTORY "${WORK}/upstream" COMMAND_ERROR_IS_FATAL ANY)
latimer_tree_digest("${WORK}/upstream/thing-1" a.h digest)

function(expect_count expected)
  get_property(components GLOBAL PROPERTY LATIMER_SBOM_COMPONENTS)
  string(JSON count LENGTH "${components}")
  if(NOT count EQUAL expected)
    message(FATAL_ERROR "not ${expected} in the bill: ${components}")
  endif()
endfunction()

latimer_dependency(THING VERSION 1 SPDX MIT PART tests PATHS a.h
  SHA256 "${digest}" URL "file://${archive}")
if(NOT EXISTS "${THING_SOURCE_DIR}/a.h" OR NOT THING_WHY STREQUAL "")
  message(FATAL_ERROR "'${THING_SOURCE_DIR}' has no a.h: ${THING_WHY}")
endif()
expect_count(1)

# Files that differ from the pinned ones.
latimer_dependency(THING OPTIONAL VERSION 2 SPDX MIT PART tests PATHS a.h
  SHA256 0123456789abcdef
  URL "file://${archive}")
if(NOT THING_SOURCE_DIR STREQUAL ""
    OR NOT THING_WHY MATCHES
      "Cannot get THING 2.*digest.*FETCHCONTENT_SOURCE_DIR_THING")
  message(FATAL_ERROR "'${THING_SOURCE_DIR}': ${THING_WHY}")
endif()
expect_count(1)

execute_process(
  COMMAND "${CMAKE_COMMAND}" -DCASE=required "-DROOT=${ROOT}" "-DWORK=${WORK}"
    -P "${CMAKE_CURRENT_LIST_FILE}"
  RESULT_VARIABLE result ERROR_VARIABLE output)
if(result EQUAL 0 OR NOT output MATCHES "Cannot get THING 2")
  message(FATAL_ERROR "${result}: ${output}")
endif()
message(STATUS "a dependency is there or named")
