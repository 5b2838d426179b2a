# BeagleBone Black (AM335x): one Cortex-A8, 512 MB.
# Reading memory: sbc-bench (github.com/ThomasKaiser/sbc-bench),
# "NEON read" of results/4MC0, an
# Allwinner A10, which has the same core; of this board there is none.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE arm-linux-gnueabihf CPU -mcpu=cortex-a8 -mfpu=neon
  ISAS neon TILE 8x2s4
  RAM_MIB 256 THREADS 1
  SPEED 1000 660 1910
  QEMU qemu-arm -cpu cortex-a8)
