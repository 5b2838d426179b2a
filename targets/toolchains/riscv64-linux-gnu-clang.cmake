# 64-bit RISC-V Linux, with Clang: Debian 12's GCC knows no vectors.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/toolchain.cmake")
latimer_toolchain(TRIPLE riscv64-linux-gnu PROCESSOR riscv64
  CLANG 19 PACKAGES "clang-19 g++-riscv64-linux-gnu"
  QEMU qemu-riscv64)
