# 64-bit RISC-V Linux.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/toolchain.cmake")
latimer_toolchain(TRIPLE riscv64-linux-gnu PROCESSOR riscv64
  QEMU qemu-riscv64)
