# 64-bit RISC-V with vectors of 256 bits (RVV 1.0), as the SpacemiT K1 of the
# Banana Pi BPI-F3: eight X60, 2 GB and more.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE riscv64-linux-gnu-clang
  CPU -march=rv64gcv_zvl256b -mabi=lp64d -mrvv-vector-bits=zvl -mno-strict-align
  ISAS scalar rvv256 TILE 16x4
  RAM_MIB 1024 THREADS 4
  QEMU qemu-riscv64 -cpu rv64,v=true,vlen=256,elen=64,vext_spec=v1.0)
# Only C++ code that asks for vectors gets any. An exception that passes a
# function which keeps vectors on the stack ends the program, since the unwinder
# of GCC 12 cannot tell how large they are. The runtime throws none and turns it
# off.
if(NOT LATIMER_READ_BOARD)
  string(APPEND CMAKE_CXX_FLAGS_INIT " -mno-implicit-float")
endif()
