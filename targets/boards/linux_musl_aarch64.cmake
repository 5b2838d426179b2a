# 64-bit ARM Linux with musl: any CPU with NEON, 1 GB and more. Built by Zig.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE aarch64-linux-musl CPU -mcpu=generic
  ISAS neon TILE 8x2s4
  RAM_MIB 512 THREADS 4
  QEMU qemu-aarch64 -cpu cortex-a53)
