# BeagleBone Black (AM335x): one Cortex-A8, 512 MB.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE arm-linux-gnueabihf CPU -mcpu=cortex-a8 -mfpu=neon
  ISAS neon TILE 8x2s4
  RAM_MIB 256 THREADS 1
  QEMU qemu-arm -cpu cortex-a8)
