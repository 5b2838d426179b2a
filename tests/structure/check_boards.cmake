# Every board file targets/boards/NAME.cmake is complete, and the presets are
# those of the board files.
#   cmake -DROOT=<source dir> -DWORK=<folder> -P check_boards.cmake
cmake_minimum_required(VERSION 3.25)

set(tiles 4x4 4x8 8x8 8x2s4 16x4 16x8)
set(isas_of_x86_64 sse41 avx2 avxvnni avx512 avx512vnni)
set(isas_of_aarch64 neon dotprod i8mm)
set(isas_of_arm neon)
set(isas_of_riscv64 scalar)

get_filename_component(ROOT "${ROOT}" ABSOLUTE)
set(folder "${ROOT}/targets/boards")
set(errors "")
macro(wrong)
  string(JOIN " " text ${ARGN})
  string(APPEND errors "${text}\n")
endmacro()

# ---- The values of each board -----------------------------------------------

set(LATIMER_READ_BOARD ON)
set(boards "")
file(GLOB files "${folder}/*.cmake")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WE)
  set(where "targets/boards/${name}.cmake")
  list(APPEND boards ${name})
  include("${file}")
  if(NOT LATIMER_BOARD STREQUAL name)
    wrong("${where}: does not call latimer_board().")
    continue()
  endif()
  if(LATIMER_BOARD_UNPARSED_ARGUMENTS)
    wrong("${where}: latimer_board() takes no"
      "${LATIMER_BOARD_UNPARSED_ARGUMENTS}.")
  endif()
  if(NOT EXISTS "${ROOT}/targets/toolchains/${LATIMER_BOARD_TRIPLE}.cmake")
    wrong("${where}: TRIPLE ${LATIMER_BOARD_TRIPLE} has no file in"
      "targets/toolchains.")
  endif()
  foreach(word IN ITEMS CPU ISAS)
    if("${LATIMER_BOARD_${word}}" STREQUAL "")
      wrong("${where}: no ${word}.")
    endif()
  endforeach()
  string(REGEX MATCH "^[^-]*" arch "${LATIMER_BOARD_TRIPLE}")
  foreach(isa IN LISTS LATIMER_BOARD_ISAS)
    if(NOT isa IN_LIST isas_of_${arch})
      wrong("${where}: ISAS has ${isa}, which is none of"
        "${isas_of_${arch}}.")
    endif()
  endforeach()
  if(NOT "${LATIMER_BOARD_TILE}" IN_LIST tiles)
    wrong("${where}: TILE ${LATIMER_BOARD_TILE} is none of ${tiles}.")
  endif()
  foreach(word IN ITEMS RAM_MIB THREADS)
    if(NOT "${LATIMER_BOARD_${word}}" MATCHES "^[1-9][0-9]*$")
      wrong("${where}: ${word} \"${LATIMER_BOARD_${word}}\" is no positive"
        "number.")
    endif()
  endforeach()
  # MHz, MB/s and cycles per 1,000 bytes, or nothing.
  if(NOT "${LATIMER_BOARD_SPEED}" MATCHES "^([1-9][0-9]*;[1-9][0-9]*;[1-9][0-9]*)?$")
    wrong("${where}: SPEED \"${LATIMER_BOARD_SPEED}\" is no three numbers.")
  endif()
  if(NOT (LATIMER_BOARD_QEMU OR LATIMER_BOARD_NEEDS))
    wrong("${where}: neither QEMU nor NEEDS.")
  endif()
endforeach()
list(LENGTH boards count)
if(count LESS 12)
  wrong("targets/boards: only ${count} boards found.")
endif()

execute_process(COMMAND "${CMAKE_COMMAND}" "-DTO=${WORK}/presets.json"
  -P "${ROOT}/targets/cmake/write_presets.cmake" COMMAND_ERROR_IS_FATAL ANY)
file(READ "${folder}/presets.json" committed)
file(READ "${WORK}/presets.json" written)
if(NOT committed STREQUAL written)
  wrong("targets/boards/presets.json is out of date: run"
    "cmake -P targets/cmake/write_presets.cmake.")
endif()

if(errors)
  message(FATAL_ERROR "${errors}")
endif()
message("${count} boards and their presets are as they must be.")
