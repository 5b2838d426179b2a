# Every board file targets/boards/NAME.cmake is complete, the presets are those of
# the board files, and a board file may lie anywhere.
#   cmake -DROOT=<source dir> -DWORK=<folder> -P check_boards.cmake
cmake_minimum_required(VERSION 3.25)

set(tiles 4x4 4x8 8x8 8x2s4 8x16 16x4 16x8)
get_filename_component(ROOT "${ROOT}" ABSOLUTE)
include("${ROOT}/cmake/LatimerIsas.cmake")
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
  if(LATIMER_BOARD_TRIPLE STREQUAL "arm-none-eabi")
    set(arch cortex_m)
  elseif(arch STREQUAL "arm")
    set(arch armv7)
  elseif(arch MATCHES "^riscv")
    set(arch riscv)
  endif()
  latimer_read_isas(${arch})
  foreach(isa IN LISTS LATIMER_BOARD_ISAS)
    if(NOT isa IN_LIST latimer_known_isas)
      wrong("${where}: ISAS has ${isa}, which is none of"
        "${latimer_known_isas}.")
    endif()
  endforeach()
  if(NOT "${LATIMER_BOARD_TILE}" IN_LIST tiles)
    wrong("${where}: TILE ${LATIMER_BOARD_TILE} is none of ${tiles}.")
  endif()
  foreach(word IN ITEMS RAM_KIB THREADS)
    if(NOT "${LATIMER_BOARD_${word}}" MATCHES "^[1-9][0-9]*$")
      wrong("${where}: ${word} \"${LATIMER_BOARD_${word}}\" is no positive"
        "number.")
    endif()
  endforeach()
  if(LATIMER_BOARD_EXAMPLE)
    list(GET LATIMER_BOARD_EXAMPLE 0 example)
    if(NOT EXISTS "${ROOT}/examples/${example}/config.json")
      wrong("${where}: EXAMPLE ${example} is no model in examples.")
    endif()
  endif()
  if(LATIMER_BOARD_MACHINE)
    set(ends cc ld)
    if(LATIMER_BOARD_MACHINE STREQUAL "wasm")  # JavaScript in place of a script.
      set(ends cc mjs)
    endif()
    foreach(end IN LISTS ends)
      if(NOT EXISTS "${ROOT}/targets/bare/${LATIMER_BOARD_MACHINE}.${end}")
        wrong("${where}: MACHINE ${LATIMER_BOARD_MACHINE} has no .${end} in"
          "targets/bare.")
      endif()
    endforeach()
    if(NOT "${LATIMER_BOARD_FLASH_MIB}" MATCHES "^[1-9][0-9]*$")
      wrong("${where}: FLASH_MIB \"${LATIMER_BOARD_FLASH_MIB}\" is no positive"
        "number.")
    endif()
  endif()
  # MHz, MB/s, cycles per 1,000 bytes and per 1,000 multiplications, or nothing.
  if(NOT "${LATIMER_BOARD_SPEED}" MATCHES "^([1-9][0-9]*(;[1-9][0-9]*)(;[1-9][0-9]*)(;[1-9][0-9]*)?)?$")
    wrong("${where}: SPEED \"${LATIMER_BOARD_SPEED}\" is no three or four numbers.")
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

# Whatever a board's first line is.
set(copy "${WORK}/targets")
file(COPY "${ROOT}/targets/cmake/write_presets.cmake" DESTINATION "${copy}/cmake")
file(REMOVE_RECURSE "${copy}/boards")
file(WRITE "${copy}/boards/plain.cmake" "include(\"x/board.cmake\")\n")
file(WRITE "${copy}/boards/quoted.cmake" "# My \"new\" board\\: for all\n")
file(WRITE "${copy}/boards/empty.cmake" "#\n")
execute_process(COMMAND "${CMAKE_COMMAND}"
  -P "${copy}/cmake/write_presets.cmake" COMMAND_ERROR_IS_FATAL ANY)
file(READ "${copy}/boards/presets.json" written)
foreach(title IN ITEMS "2;empty" "3;plain" [[4;My "new" board\]])
  list(POP_FRONT title at)
  string(JSON name ERROR_VARIABLE error GET "${written}" configurePresets ${at}
    displayName)
  if(NOT name STREQUAL title)
    wrong("write_presets.cmake: '${title}' became '${name}'. ${error}")
  endif()
endforeach()

# A board file anywhere is a toolchain file.
set(own "${WORK}/own_board.cmake")
file(WRITE "${own}" "include(\"${ROOT}/targets/cmake/board.cmake\")
latimer_board(TRIPLE aarch64-linux-gnu CPU -mcpu=cortex-a53 ISAS neon
  TILE 8x2s4 RAM_MIB 64 THREADS 4)\n")
unset(LATIMER_READ_BOARD)
include("${own}")
if(NOT LATIMER_BOARD STREQUAL "own_board" OR NOT LATIMER_BOARD_FILE STREQUAL own
    OR NOT LATIMER_TILE STREQUAL "8x2s4"
    OR NOT CMAKE_CXX_COMPILER MATCHES "^aarch64-linux-gnu-")
  wrong("${own}: is board '${LATIMER_BOARD}' of ${LATIMER_BOARD_FILE}, compiled"
    "by ${CMAKE_CXX_COMPILER}.")
endif()

if(errors)
  message(FATAL_ERROR "${errors}")
endif()
message("${count} boards and their presets are as they must be.")
