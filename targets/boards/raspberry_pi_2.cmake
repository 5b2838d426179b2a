# Raspberry Pi 2 (first revision): four Cortex-A7, 1 GB.
# Reading memory: sbc-bench (github.com/ThomasKaiser/sbc-bench),
# "NEON read" of results/1iFf.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE arm-linux-gnueabihf CPU -mcpu=cortex-a7 -mfpu=neon-vfpv4
  ISAS neon TILE 8x2s4
  RAM_MIB 512 THREADS 4
  SPEED 900 1320 1860
  QEMU qemu-arm -cpu cortex-a7)
