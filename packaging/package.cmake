# Writes the amalgamation of a build with what a package manager asks for:
#
#   cmake -DBUILD=build/riscv32_bare -DKIND=esp_idf -DOUT=latimer
#     -P packaging/package.cmake
#
# KIND is a folder beside this file. All of its files are copied, with @VERSION@,
# @BOARD@, and @CXX_FLAGS@ and @C_FLAGS@, which name no processor.
cmake_minimum_required(VERSION 3.25)
get_filename_component(OUT "${OUT}" ABSOLUTE BASE_DIR "${CMAKE_BINARY_DIR}")
set(template "${CMAKE_CURRENT_LIST_DIR}/${KIND}")
if(NOT KIND OR NOT IS_DIRECTORY "${template}")
  message(FATAL_ERROR "KIND=${KIND}: give esp_idf, arduino or zephyr.")
endif()
if(EXISTS "${OUT}")
  message(FATAL_ERROR "${OUT} is there already; give another OUT, or remove it.")
endif()

set(package "${OUT}")
set(OUT "${package}/src")
include("${CMAKE_CURRENT_LIST_DIR}/amalgamate.cmake")
set(OUT "${package}")
set(VERSION "${version}")
set(CXX_FLAGS "${cxx_flags}")
set(C_FLAGS "${c_flags}")
file(STRINGS "${BUILD}/generated/board/latimer/board_config.h" board
  REGEX "LATIMER_BOARD_NAME")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" BOARD "${board}")

file(GLOB_RECURSE files RELATIVE "${template}" "${template}/*")
foreach(file IN LISTS files)
  configure_file("${template}/${file}" "${OUT}/${file}" @ONLY)
endforeach()
file(RENAME "${OUT}/src/LICENSES.txt" "${OUT}/LICENSE")
file(RENAME "${OUT}/src/latimer.cdx.json" "${OUT}/latimer.cdx.json")
message(STATUS "${OUT}: Latimer ${VERSION} for ${KIND}")
