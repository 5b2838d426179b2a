# Raspberry Pi 3 and 3+: four Cortex-A53; 1 GB, the 3A+ 512 MB.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE aarch64-linux-gnu CPU -mcpu=cortex-a53
  ISAS neon TILE 8x2s4
  RAM_MIB 256 THREADS 4
  QEMU qemu-aarch64 -cpu cortex-a53)
