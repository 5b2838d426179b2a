# Raspberry Pi 4, 400 and Compute Module 4: four Cortex-A72, 1 GB and more.
# Reading memory: sbc-bench (github.com/ThomasKaiser/sbc-bench),
# "NEON read" of results/3EgS.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE aarch64-linux-gnu CPU -mcpu=cortex-a72
  ISAS neon TILE 8x2s4
  RAM_MIB 512 THREADS 4
  SPEED 1500 4310 200 158
  QEMU qemu-aarch64 -cpu cortex-a72)
