# Cortex-A53 without an operating system: QEMU's virt. Position-independent
# code would need its table of addresses before it is copied to RAM.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE aarch64-linux-gnu CPU -mcpu=cortex-a53 -mno-outline-atomics
    -fno-pie
  ISAS neon TILE 8x2s4 NO_PRUNED_ARGMAX
  MACHINE arm_virt FLASH_MIB 16
  RAM_MIB 4 THREADS 1
  QEMU qemu-system-aarch64 -M virt -cpu cortex-a53 -display none -monitor none
    -serial stdio -semihosting -kernel)
