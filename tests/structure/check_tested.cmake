# Lists the sources that no test is of: none says so in its first comment, as
#   // Tests runtime/search/step.cc, runtime/search/scheduler.cc.
# A test is of a source if it fails where the source is wrong; to run through it
# is not enough. Tests are in C++, CMake, Java, JavaScript and Python. Fails if a
# *_test.cc has no first comment, or if a test is of a file that does not exist.
#   cmake -DROOT=<source dir> -P check_tested.cmake
cmake_minimum_required(VERSION 3.25)

get_filename_component(ROOT "${ROOT}" ABSOLUTE)
set(tests "")
foreach(kind IN ITEMS cc cmake java mjs py)
  file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/tests/*.${kind}")
  list(APPEND tests ${files})
endforeach()
list(FILTER tests EXCLUDE REGEX "^tests/(bench|data|reference|structure)/")
set(sources "")
foreach(folder IN ITEMS api programs runtime converter server bindings)
  file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/${folder}/*.cc")
  list(APPEND sources ${files})
endforeach()

set(errors "")
set(tested "")
foreach(test IN LISTS tests)
  file(READ "${ROOT}/${test}" text LIMIT 4000)
  # Lines of // or #, but no #include, and Python's string.
  string(REGEX MATCH
    "^((//|#[ !])[^\n]*\n|\"\"\"[^\"]*\"\"\"\n)+" comment "${text}")
  if(comment STREQUAL "" AND test MATCHES "_test\\.cc$")
    string(APPEND errors "  ${test}: its first line does not say what it tests\n")
  endif()
  if(comment MATCHES "(//|#) Tests [a-z_]+/.*")
    string(REGEX MATCHALL "[a-z_0-9]+/[a-z_0-9/]+\\.(cc|h)" named
      "${CMAKE_MATCH_0}")
    foreach(source IN LISTS named)
      if(NOT EXISTS "${ROOT}/${source}")
        string(APPEND errors "  ${test}: there is no ${source}\n")
      endif()
    endforeach()
    list(APPEND tested ${named})
  endif()
endforeach()
if(errors)
  message(FATAL_ERROR "Tests:\n${errors}")
endif()

list(LENGTH tested names)
list(LENGTH sources all)
if(all LESS 100 OR names LESS 100)
  message(FATAL_ERROR "${names} names of ${all} sources: wrong directory?")
endif()
set(untested ${sources})
list(REMOVE_ITEM untested ${tested})
list(SORT untested)
list(LENGTH untested count)
list(JOIN untested "\n  " list)
message(STATUS "${count} of ${all} sources have no test that names them:\n  ${list}")
