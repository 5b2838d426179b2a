# PC with AVX2 (Haswell, Zen and later): two cores, 4 GB and more.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE x86_64-linux-gnu CPU -march=x86-64-v3
  ISAS avx2 TILE 8x8
  RAM_MIB 2048 THREADS 2
  QEMU qemu-x86_64 -cpu Haswell)
