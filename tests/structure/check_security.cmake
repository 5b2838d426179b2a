# Each promise of SECURITY.md has a number and names tests, which exist: a file
# of tests, a fuzz target or a check of this folder. Words in brackets after a
# name that begin with a capital or with test_ stand in that file.
#   cmake -DROOT=<source dir> -P check_security.cmake
cmake_minimum_required(VERSION 3.25)

get_filename_component(ROOT "${ROOT}" ABSOLUTE)
file(READ "${ROOT}/SECURITY.md" text)
# What lists of CMake do not hold.
string(REGEX REPLACE "[][;]" "," text "${text}")
string(REGEX REPLACE "\n +" " " text "${text}")
string(REGEX MATCHALL "\n[0-9]+\\. [^\n]+" promises "${text}")

file(GLOB_RECURSE files "${ROOT}/tests/*.cc" "${ROOT}/tests/*.py"
  "${ROOT}/tests/*.cmake")
set(errors "")
set(number 0)
set(checked 0)

# Appends to `errors` unless `name` is that of a test, in whose file each word
# of `words` stands.
function(check_test name words)
  string(REGEX REPLACE "^fuzz: (.*)$" "fuzz/\\1_fuzz" path "${name}")
  set(found ${files})
  string(REGEX REPLACE "\\." "\\\\." pattern "${path}")
  list(FILTER found INCLUDE REGEX "/${pattern}(\\.cc|\\.py|\\.cmake)?$")
  list(LENGTH found count)
  if(EXISTS "${ROOT}/${name}")
    set(found "${ROOT}/${name}")
  elseif(NOT count EQUAL 1)
    string(APPEND errors "  ${number}. There are ${count} tests ${name}.\n")
    set(errors "${errors}" PARENT_SCOPE)
    return()
  endif()
  file(READ "${found}" source)
  string(REGEX MATCHALL "[A-Z][A-Za-z0-9]+|test_[a-z0-9_]+" words "${words}")
  foreach(word IN LISTS words)
    string(FIND "${source}" "${word}" at)
    if(at EQUAL -1)
      string(APPEND errors "  ${number}. ${name} has no ${word}.\n")
    endif()
  endforeach()
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

foreach(promise IN LISTS promises)
  math(EXPR number "${number} + 1")
  if(NOT promise MATCHES "^\n${number}\\. ")
    string(APPEND errors "  Promise ${number} is not there.\n")
  endif()
  if(NOT promise MATCHES "Tests?: (.*)$")
    string(APPEND errors "  ${number}. It names no test.\n")
    continue()
  endif()
  string(REGEX MATCHALL "`[^`]+`( \\([^)]*\\))?" named "${CMAKE_MATCH_1}")
  foreach(one IN LISTS named)
    math(EXPR checked "${checked} + 1")
    string(REGEX MATCH "^`([^`]+)`(.*)$" one "${one}")
    check_test("${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}")
  endforeach()
endforeach()

if(number LESS 12 OR checked LESS 30)
  message(FATAL_ERROR "${number} promises with ${checked} tests: no list?")
endif()
if(errors)
  message(FATAL_ERROR "SECURITY.md:\n${errors}")
endif()
message(STATUS "${number} promises have ${checked} tests")
