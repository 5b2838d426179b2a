# The boards: targets/boards/*.cmake as C++ constants. Writes into
# LATIMER_BOARD_INCLUDE_DIR
#
#   latimer/board_config.h  kBoard, the board of this build
#   latimer/board_list.h    kBoards, all of them
#
# -DLATIMER_BOARD_RAM_MIB=N says what this board, or the host, has instead of
# its file's RAM_MIB.
include_guard()

set(LATIMER_BOARD_INCLUDE_DIR "${PROJECT_BINARY_DIR}/generated/board")

# Sets `result` to the C++ initializer of the board in `file`.
# `ram_mib`, where not empty, goes before the board's own.
function(latimer_board_initializer file ram_mib result)
  set(LATIMER_READ_BOARD ON)
  include("${file}")
  if(NOT ram_mib STREQUAL "")
    set(LATIMER_BOARD_RAM_MIB "${ram_mib}")
  endif()
  math(EXPR bytes "${LATIMER_BOARD_RAM_MIB} * 1024 * 1024")
  list(JOIN LATIMER_BOARD_ISAS " " isas)
  set(${result} "{\"${LATIMER_BOARD}\", ${bytes}, ${LATIMER_BOARD_THREADS}, \
\"${LATIMER_BOARD_TILE}\", \"${isas}\"}" PARENT_SCOPE)
endfunction()

file(GLOB latimer_board_files CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/targets/boards/*.cmake")
# The board's file, as toolchain file, has set a variable of that name.
set(latimer_ram_mib "$CACHE{LATIMER_BOARD_RAM_MIB}")
if(NOT latimer_ram_mib MATCHES "^([1-9][0-9]*)?$")
  message(FATAL_ERROR "LATIMER_BOARD_RAM_MIB=${latimer_ram_mib}: give the RAM "
    "that translation may use as a whole number of MiB.")
endif()
set(latimer_board_list "")
set(latimer_this_board_name host)
set(latimer_host_ram kUnlimitedRam)
if(NOT latimer_ram_mib STREQUAL "")
  math(EXPR latimer_host_ram "${latimer_ram_mib} * 1024 * 1024")
endif()
set(latimer_this_board "{\"host\", ${latimer_host_ram}, 1, \"\", \"\"}")
foreach(file IN LISTS latimer_board_files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  latimer_board_initializer("${file}" "" initializer)
  string(APPEND latimer_board_list "    ${initializer},\n")
  get_filename_component(name "${file}" NAME_WE)
  if(name STREQUAL LATIMER_BOARD)
    latimer_board_initializer("${file}" "${latimer_ram_mib}"
      latimer_this_board)
    set(latimer_this_board_name "${name}")
  endif()
endforeach()

file(CONFIGURE OUTPUT "${LATIMER_BOARD_INCLUDE_DIR}/latimer/board_config.h"
  CONTENT "// The board of this build.
#pragma once
#include \"latimer/board.h\"

#define LATIMER_BOARD_NAME \"${latimer_this_board_name}\"

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
