# Raspberry Pi 5, 500 and Compute Module 5: four Cortex-A76; 2 GB and more,
# the Pi 5 also 1 GB.
# Reading memory: sbc-bench (github.com/ThomasKaiser/sbc-bench), 1.65 times
# memcpy of results/8-NK, the ratio of reading to copying on the Pi 3 and 4.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE aarch64-linux-gnu CPU -mcpu=cortex-a76
  ISAS neon dotprod TILE 16x4
  RAM_MIB 512 THREADS 4
  SPEED 2400 9900 95 55
  QEMU qemu-aarch64 -cpu cortex-a76)
