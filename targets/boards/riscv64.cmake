# 64-bit RISC-V (rv64gc) without vectors, as the VisionFive 2: four U74, 2 GB
# and more.
# Reading memory: sbc-bench (github.com/ThomasKaiser/sbc-bench),
# "C scan 64" of results/4xOY.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE riscv64-linux-gnu CPU -march=rv64gc -mabi=lp64d
  ISAS scalar TILE 4x4
  RAM_MIB 1024 THREADS 4
  SPEED 1500 1380 6300
  QEMU qemu-riscv64 -cpu rv64)
