# Checks that each page of this repository has its place in the navigation of the
# site: a line of `nav` in site/mkdocs.yml, or one with a * for its folder.
#   cmake -DROOT=<source dir> -P check_site.cmake
cmake_minimum_required(VERSION 3.25)

get_filename_component(ROOT "${ROOT}" ABSOLUTE)
file(GLOB_RECURSE pages RELATIVE "${ROOT}" "${ROOT}/*.md")
list(FILTER pages EXCLUDE REGEX "^(build[^/]*|\\.git|tests/data)/")
file(STRINGS "${ROOT}/site/mkdocs.yml" nav REGEX "^ +- .*\\.md$")
list(TRANSFORM nav REPLACE "^.*[ ]" "")

set(errors "")
foreach(page IN LISTS pages)
  string(REGEX REPLACE "^site/pages/" "" line "${page}")
  string(REGEX REPLACE "[^/]+$" "*.md" folder "${line}")
  if(NOT line IN_LIST nav AND NOT folder IN_LIST nav)
    string(APPEND errors "\n  ${page} has no line in `nav` of site/mkdocs.yml")
  endif()
endforeach()

list(LENGTH nav lines)
if(lines LESS 20)
  message(FATAL_ERROR "only ${lines} pages in `nav`: wrong directory?")
endif()
if(errors)
  message(FATAL_ERROR "Pages that the site does not show:${errors}")
endif()
message(STATUS "${lines} lines of `nav` have every page")
