# Cortex-M55 without an operating system: QEMU's mps3-an547, whose DDR stands
# for the flash of a board, and whose 4 MB SRAM for its RAM.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE arm-none-eabi CPU -mcpu=cortex-m55 -mfloat-abi=hard
  ISAS scalar mve TILE 8x16 NO_PRUNED_ARGMAX
  MACHINE mps3_an547 FLASH_MIB 16
  RAM_MIB 4 THREADS 1
  QEMU qemu-system-arm -M mps3-an547 -display none -monitor none
    -serial stdio -semihosting -kernel)
