# latimer_board(): what a board file says. The board's name is the file's.
#
#   TRIPLE   the compiler's, as in Debian's g++-<TRIPLE>
#   CPU      compiler flags that name the CPU
#   ISAS     instruction sets whose kernels are compiled in (LATIMER_ISAS)
#   TILE     layout of int8 weights that those kernels read
#   RAM_MIB  RAM that translation may use
#   THREADS  threads that translation uses unless told otherwise
#   QEMU     the command that runs a program of this board on a PC
#
# CMake reads a board file as its toolchain file; LatimerBoards.cmake reads all
# of them for what they say (LATIMER_READ_BOARD set).
macro(latimer_board)
  cmake_parse_arguments(LATIMER_BOARD ""
    "TRIPLE;TILE;RAM_MIB;THREADS" "CPU;ISAS;QEMU" ${ARGN})
  get_filename_component(LATIMER_BOARD "${CMAKE_CURRENT_LIST_FILE}" NAME_WE)
  if(NOT LATIMER_READ_BOARD)
    include("${CMAKE_CURRENT_LIST_DIR}/../toolchains/${LATIMER_BOARD_TRIPLE}.cmake")
  endif()
endmacro()
