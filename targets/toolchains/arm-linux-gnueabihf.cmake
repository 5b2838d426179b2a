# 32-bit ARM Linux, armv7 with NEON.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/toolchain.cmake")
latimer_toolchain(TRIPLE arm-linux-gnueabihf PROCESSOR armv7
  FLAGS -mfloat-abi=hard -Wno-psabi  # Says that GCC 7 changed the ABI.
  CPU -march=armv7-a+neon
  QEMU qemu-arm)
