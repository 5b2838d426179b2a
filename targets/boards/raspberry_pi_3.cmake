# Raspberry Pi 3 and 3+: four Cortex-A53; 1 GB, the 3A+ 512 MB.
# Reading memory: sbc-bench (github.com/ThomasKaiser/sbc-bench),
# "NEON read" of results/1iI5 (a 3B+).
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE aarch64-linux-gnu CPU -mcpu=cortex-a53
  ISAS neon TILE 8x2s4
  RAM_MIB 256 THREADS 4
  SPEED 1200 2150 525 345
  QEMU qemu-aarch64 -cpu cortex-a53)
