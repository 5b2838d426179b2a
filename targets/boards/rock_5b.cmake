# Radxa ROCK 5B and other RK3588: four Cortex-A76, on which translation runs,
# and four Cortex-A55; 4 GB and more.
# Reading memory: sbc-bench (github.com/ThomasKaiser/sbc-bench), 1.65 times
# memcpy of results/41BH, the ratio of reading to copying on the Pi 3 and 4.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE aarch64-linux-gnu CPU -mcpu=cortex-a76.cortex-a55
  ISAS neon dotprod TILE 16x4
  RAM_MIB 2048 THREADS 4
  SPEED 2350 17800 95 55
  QEMU qemu-aarch64 -cpu cortex-a76)
