# The boards, targets/boards/*.cmake, as C++ constants. Writes into
# LATIMER_BOARD_INCLUDE_DIR
#
#   latimer/board_config.h  kBoard, the board of this build
#   latimer/board_list.h    kBoards, all of them
#
# The file of this build's board may lie elsewhere; no other build knows it.
#
# -DLATIMER_BOARD_RAM_MIB=N replaces the RAM_MIB of this build's board, or sets
# a limit for the host, which has none.
include_guard()

set(LATIMER_BOARD_INCLUDE_DIR "${PROJECT_BINARY_DIR}/generated/board")
# The board's file, as toolchain file, has set a variable of that name.
set(latimer_ram_mib "$CACHE{LATIMER_BOARD_RAM_MIB}")
if(NOT latimer_ram_mib MATCHES "^([1-9][0-9]*)?$")
  message(FATAL_ERROR "LATIMER_BOARD_RAM_MIB=${latimer_ram_mib}: give the RAM "
    "that translation may use as a whole number of MiB.")
endif()

# Sets `result` to the C++ initializer of a board; `ram_mib` goes before the
# board's own, if it is not empty.
function(latimer_board_initializer name ram_mib result)
  set(LATIMER_READ_BOARD ON)
  set(file "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../targets/boards/${name}.cmake")
  if(LATIMER_BOARD STREQUAL name)
    set(file "${LATIMER_BOARD_FILE}")
  endif()
  include("${file}")
  if(ram_mib)
    math(EXPR LATIMER_BOARD_RAM_KIB "${ram_mib} * 1024")
  endif()
  list(JOIN LATIMER_BOARD_ISAS " " isas)
  list(JOIN LATIMER_BOARD_SPEED ", " speed)
  set(flash "${LATIMER_BOARD_FLASH_MIB}")
  if(NOT flash)
    set(flash 0)
  endif()
  set(pruned true)
  if(LATIMER_BOARD_NO_PRUNED_ARGMAX)
    set(pruned false)
  endif()
  set(${result} "{\"${LATIMER_BOARD}\", ${LATIMER_BOARD_RAM_KIB}ull << 10, \
${LATIMER_BOARD_THREADS}, \"${LATIMER_BOARD_TILE}\", \"${isas}\", \
${flash}ull << 20, ${pruned}, ${speed}}" PARENT_SCOPE)
endfunction()

# Writes the header of that board into `folder`.
function(latimer_write_board folder name initializer)
  file(CONFIGURE OUTPUT "${folder}/latimer/board_config.h" CONTENT
    "#pragma once\n#include \"base/board.h\"\n\nnamespace latimer {
#define LATIMER_BOARD_NAME \"${name}\"
inline constexpr Board kBoard = ${initializer};\n}  // namespace latimer\n")
endfunction()

set(latimer_ram kUnlimitedRam)
if(latimer_ram_mib)
  set(latimer_ram "${latimer_ram_mib}ull << 20")
endif()
set(latimer_name host)
set(latimer_board_argument "${LATIMER_BOARD}")
set(latimer_this_board "{\"host\", ${latimer_ram}, 1, \"\", \"\"}")
if(LATIMER_BOARD)
  set(latimer_name "${LATIMER_BOARD}")
  latimer_board_initializer(${LATIMER_BOARD} "${latimer_ram_mib}"
    latimer_this_board)
endif()
set(latimer_boards "")
file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/targets/boards/*.cmake")
if(LATIMER_BOARD AND NOT LATIMER_BOARD_FILE IN_LIST files)
  list(APPEND files "${LATIMER_BOARD_FILE}")
  set(latimer_board_argument "${LATIMER_BOARD_FILE}")  # Of latimer-convert.
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WE)
  latimer_board_initializer(${name} "" initializer)
  string(APPEND latimer_boards "    ${initializer},\n")
endforeach()

latimer_write_board("${LATIMER_BOARD_INCLUDE_DIR}" ${latimer_name}
  "${latimer_this_board}")
file(CONFIGURE OUTPUT "${LATIMER_BOARD_INCLUDE_DIR}/latimer/board_list.h"
  CONTENT "#pragma once\n#include \"base/board.h\"\n\nnamespace latimer {
inline constexpr Board kBoards[] = {\n${latimer_boards}};
}  // namespace latimer\n")
