# 64-bit x86 Linux.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/toolchain.cmake")
latimer_toolchain(TRIPLE x86_64-linux-gnu PROCESSOR x86_64
  QEMU qemu-x86_64)
