# latimer_dependency() if the pinned files can be had, and if they cannot.
#   cmake -DROOT=<source dir> -DWORK=<folder> -P check_dependency.cmake
cmake_minimum_required(VERSION 3.25)
list(APPEND CMAKE_MODULE_PATH "${ROOT}/cmake")
set(LATIMER_CACHE_DIR "${WORK}/cache")
set(PROJECT_BINARY_DIR "${WORK}")
include(LatimerDependency)

set(archive "${WORK}/thing.tar.gz")
if(CASE STREQUAL "required")
  latimer_dependency(THING VERSION 2 SPDX MIT PART tests PATHS a.h
    SHA256 0123456789abcdef
    URL "file://${archive}")
  return()  # Not reached.
elseif(CASE STREQUAL "changed")
  latimer_dependency(THING VERSION 1 SPDX MIT PART tests PATHS a.h LICENSE.md
    SHA256 "${DIGEST}" URL "file://${archive}")
  return()  # Not reached.
elseif(CASE STREQUAL "no_license")
  latimer_sbom_component(THING VERSION 1 SPDX MIT PART tests)
  return()  # Not reached.
endif()

file(REMOVE_RECURSE "${WORK}")
file(WRITE "${WORK}/upstream/thing-1/a.h" "int a;\n")
file(WRITE "${WORK}/upstream/thing-1/LICENSE.md" "As you like.\n")
execute_process(COMMAND "${CMAKE_COMMAND}" -E tar czf "${archive}" thing-1
  WORKING_DIRECTORY "${WORK}/upstream" COMMAND_ERROR_IS_FATAL ANY)
latimer_tree_digest("${WORK}/upstream/thing-1" "a.h;LICENSE.md" digest)

function(expect_count expected)
  get_property(components GLOBAL PROPERTY LATIMER_SBOM_COMPONENTS)
  string(JSON count LENGTH "${components}")
  if(NOT count EQUAL expected)
    message(FATAL_ERROR "not ${expected} in the bill: ${components}")
  endif()
endfunction()

latimer_dependency(THING VERSION 1 SPDX MIT PART tests PATHS a.h LICENSE.md
  SHA256 "${digest}" URL "file://${archive}")
if(NOT EXISTS "${THING_SOURCE_DIR}/a.h" OR NOT THING_WHY STREQUAL "")
  message(FATAL_ERROR "'${THING_SOURCE_DIR}' has no a.h: ${THING_WHY}")
endif()
set(THING_1_SOURCE_DIR "${THING_SOURCE_DIR}")
expect_count(1)
file(READ "${WORK}/latimer_third_party/tests/thing/LICENSE.md" text)
if(NOT text STREQUAL "As you like.\n")
  message(FATAL_ERROR "the licence is '${text}'")
endif()

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

# What stops a configure step.
function(expect_error case message)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -DCASE=${case} "-DROOT=${ROOT}" "-DWORK=${WORK}"
      "-DDIGEST=${digest}" -P "${CMAKE_CURRENT_LIST_FILE}"
    RESULT_VARIABLE result ERROR_VARIABLE output)
  if(result EQUAL 0 OR NOT output MATCHES "${message}")
    message(FATAL_ERROR "${result}: ${output}")
  endif()
endfunction()
expect_error(required "Cannot get THING 2")
# A cache that somebody wrote to, or added a header to.
set(changed "thing-1-[0-9a-f]+ is not the pinned THING 1.*Remove this folder")
string(REPLACE " " "[ \n]+" changed "${changed}")  # Messages are wrapped.
set(cached "${THING_1_SOURCE_DIR}")
file(APPEND "${cached}/a.h" "#error changed\n")
expect_error(changed "${changed}")
file(WRITE "${cached}/a.h" "int a;\n")
file(WRITE "${cached}/stddef.h" "#error added\n")
expect_error(changed "${changed}")
file(REMOVE "${cached}/stddef.h" "${cached}/LICENSE.md")
expect_error(changed "${changed}")
file(REMOVE_RECURSE "${cached}")
latimer_dependency(THING VERSION 1 SPDX MIT PART tests PATHS a.h LICENSE.md
  SHA256 "${digest}" URL "file://${archive}")
if(NOT EXISTS "${cached}/LICENSE.md")
  message(FATAL_ERROR "was not fetched again: ${THING_WHY}")
endif()
expect_error(no_license "licence of thing is known")
message(STATUS "a dependency is there or named")
