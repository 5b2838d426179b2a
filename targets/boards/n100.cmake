# Intel's N100 and N97, and other PCs with AVX-VNNI and no AVX-512 (Alder Lake
# and later): four cores, 4 GB and more. QEMU 7.2 has no AVX-VNNI.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE x86_64-linux-gnu CPU -march=x86-64-v3 -mavxvnni
  ISAS avx2 avxvnni TILE 8x8
  RAM_MIB 2048 THREADS 4
  NEEDS avx_vnni)
