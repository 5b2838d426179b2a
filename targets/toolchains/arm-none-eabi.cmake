# Cortex-M without an operating system. Enums have 32 bits, as the C API says;
# newlib was built with shorter ones, but none of its is used.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/toolchain.cmake")
latimer_toolchain(TRIPLE arm-none-eabi PROCESSOR arm
  PACKAGES "gcc-arm-none-eabi libstdc++-arm-none-eabi-newlib"
  FLAGS -fno-short-enums -Wl,--no-enum-size-warning
  CPU -mcpu=cortex-m7 -mfpu=fpv5-d16 -mfloat-abi=hard)
