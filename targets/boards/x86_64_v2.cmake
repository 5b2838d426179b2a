# PC with SSE4.2 only: Celeron, Pentium, Atom (Goldmont: two or four cores),
# 2 GB and more.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE x86_64-linux-gnu CPU -march=x86-64-v2
  ISAS sse41 TILE 4x8
  RAM_MIB 1024 THREADS 2
  QEMU qemu-x86_64 -cpu Nehalem)
