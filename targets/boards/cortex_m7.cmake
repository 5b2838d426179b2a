# Cortex-M7 without an operating system: QEMU's mps2-an500, whose 16 MB PSRAM
# stands for the flash of a board, and whose 4 MB SRAM for its RAM.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE arm-none-eabi
  CPU -mcpu=cortex-m7 -mfpu=fpv5-d16 -mfloat-abi=hard
  ISAS scalar dsp TILE 4x8 NO_PRUNED_ARGMAX
  MACHINE mps2_an500 FLASH_MIB 16
  RAM_MIB 4 THREADS 1
  QEMU qemu-system-arm -M mps2-an500 -cpu cortex-m7 -display none
    -monitor none -serial stdio -semihosting -kernel)
