# Raspberry Pi 5, 500 and Compute Module 5: four Cortex-A76; 2 GB and more,
# the Pi 5 also 1 GB.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE aarch64-linux-gnu CPU -mcpu=cortex-a76
  ISAS neon dotprod TILE 16x4
  RAM_MIB 512 THREADS 4
  QEMU qemu-aarch64 -cpu cortex-a76)
