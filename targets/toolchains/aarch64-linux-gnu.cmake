# 64-bit ARM Linux.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/toolchain.cmake")
latimer_toolchain(TRIPLE aarch64-linux-gnu PROCESSOR aarch64
  QEMU qemu-aarch64)
