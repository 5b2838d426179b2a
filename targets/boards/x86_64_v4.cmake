# PC with AVX512-VNNI (Ice Lake, Zen 4 and later): four cores, 8 GB and more.
# QEMU 7.2 has no AVX512. GCC 12 warns of its own headers (GCC bug 105593).
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE x86_64-linux-gnu
  CPU -march=x86-64-v4 -mavx512vnni -Wno-uninitialized -Wno-maybe-uninitialized
  ISAS avx2 avx512 avx512vnni TILE 16x8
  RAM_MIB 4096 THREADS 4
  NEEDS avx512_vnni)
