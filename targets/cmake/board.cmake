# latimer_board(): what a board file says. The board's name is the file's, which
# may lie anywhere.
#
#   TRIPLE   the compiler's: targets/toolchains/<TRIPLE>.cmake
#   CPU      compiler flags that name the CPU
#   ISAS     instruction sets whose kernels are compiled in (LATIMER_ISAS)
#   TILE     layout of int8 weights that those kernels read (LATIMER_TILE)
#   RAM_MIB  RAM that translation may use: half of the smallest model sold
#   RAM_KIB  the same for a board with less than a MiB, in place of RAM_MIB
#   THREADS  the default number of threads
#   SPEED    what the speed is predicted from, if known: MHz, MB/s of reading
#            memory, cycles of a core for 1,000 bytes of a token's weights; for
#            speech also cycles for 1,000 multiplications of an encoder
#   MACHINE  there is no operating system: the machine of targets/bare that the
#            programs are for (LATIMER_BARE)
#   FLASH_MIB  of such a machine: room for code and model
#   EXAMPLE  of such a machine: the folder of examples/ whose model the programs
#            have without LATIMER_EMBED, and options of latimer-convert for it
#   NO_PRUNED_ARGMAX  the converter stores the output matrix like the others,
#            because the kernels for a pruned argmax are slower
#   QEMU     the command that runs a program of this board on a PC
#   NEEDS    instead of QEMU: the flag in /proc/cpuinfo of a PC that can
#
# CMake reads a board file as its toolchain file; LatimerBoards.cmake reads all
# of them for what they say (LATIMER_READ_BOARD set).

set(latimer_toolchains "${CMAKE_CURRENT_LIST_DIR}/../toolchains")

# Sets the variable unless the command line does.
macro(latimer_board_sets name)
  if("$CACHE{${name}}" STREQUAL "")
    set(${name} ${ARGN})
  endif()
endmacro()

macro(latimer_board)
  cmake_parse_arguments(LATIMER_BOARD "NO_PRUNED_ARGMAX"
    "TRIPLE;TILE;RAM_MIB;RAM_KIB;FLASH_MIB;MACHINE;THREADS;NEEDS"
    "CPU;ISAS;SPEED;QEMU;EXAMPLE" ${ARGN})
  if(LATIMER_BOARD_RAM_MIB AND NOT LATIMER_BOARD_RAM_KIB)
    math(EXPR LATIMER_BOARD_RAM_KIB "${LATIMER_BOARD_RAM_MIB} * 1024")
  endif()
  get_filename_component(LATIMER_BOARD "${CMAKE_CURRENT_LIST_FILE}" NAME_WE)
  if(NOT LATIMER_READ_BOARD)
    latimer_board_sets(LATIMER_ISAS ${LATIMER_BOARD_ISAS})
    latimer_board_sets(LATIMER_TILE ${LATIMER_BOARD_TILE})
    latimer_board_sets(LATIMER_DISPATCH OFF)
    set(LATIMER_BARE "${LATIMER_BOARD_MACHINE}")
    set(LATIMER_BOARD_FILE "${CMAKE_CURRENT_LIST_FILE}")
    include("${latimer_toolchains}/${LATIMER_BOARD_TRIPLE}.cmake")
  endif()
endmacro()
