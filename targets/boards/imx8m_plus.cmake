# NXP i.MX 8M Plus: four Cortex-A53; modules with 1 GB and more.
# Reading memory: sbc-bench (github.com/ThomasKaiser/sbc-bench), 1.65 times
# memcpy of results/4hx0, the ratio of reading to copying on the Pi 3 and 4.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE aarch64-linux-gnu CPU -mcpu=cortex-a53
  ISAS neon TILE 8x2s4
  RAM_MIB 512 THREADS 4
  SPEED 1800 4500 525 345
  QEMU qemu-aarch64 -cpu cortex-a53)
