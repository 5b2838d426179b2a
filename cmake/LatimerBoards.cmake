# The boards: targets/boards/*.cmake as C++ constants. Writes into
# LATIMER_BOARD_INCLUDE_DIR
#
#   latimer/board_config.h  kBoard, the board of this build
#   latimer/board_list.h    kBoards, all of them
include_guard()

set(LATIMER_BOARD_INCLUDE_DIR "${PROJECT_BINARY_DIR}/generated/board")

# Sets `result` to the C++ initializer of the board in `file`.
function(latimer_board_initializer file result)
  set(LATIMER_READ_BOARD ON)
  include("${file}")
  math(EXPR bytes "${LATIMER_BOARD_RAM_MIB} * 1024 * 1024")
  list(JOIN LATIMER_BOARD_ISAS " " isas)
  set(${result} "{\"${LATIMER_BOARD}\", ${bytes}, ${LATIMER_BOARD_THREADS}, \
\"${LATIMER_BOARD_TILE}\", \"${isas}\"}" PARENT_SCOPE)
endfunction()

file(GLOB latimer_board_files CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/targets/boards/*.cmake")
set(latimer_board_list "")
set(latimer_this_board "{\"host\", kUnlimitedRam, 1, \"\", \"\"}")
foreach(file IN LISTS latimer_board_files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  latimer_board_initializer("${file}" initializer)
  string(APPEND latimer_board_list "    ${initializer},\n")
  get_filename_component(name "${file}" NAME_WE)
  if(name STREQUAL LATIMER_BOARD)
    set(latimer_this_board "${initializer}")
  endif()
endforeach()

file(CONFIGURE OUTPUT "${LATIMER_BOARD_INCLUDE_DIR}/latimer/board_config.h"
  CONTENT "// The board of this build.
#pragma once
#include \"latimer/board.h\"

namespace latimer {
inline constexpr Board kBoard = ${latimer_this_board};
}  // namespace latimer
")
file(CONFIGURE OUTPUT "${LATIMER_BOARD_INCLUDE_DIR}/latimer/board_list.h"
  CONTENT "// The boards of targets/boards/.
#pragma once
#include \"latimer/board.h\"

namespace latimer {
inline constexpr Board kBoards[] = {
${latimer_board_list}};
}  // namespace latimer
")
