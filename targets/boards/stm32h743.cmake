# STM32H743 and the like: a Cortex-M7 with 2 MB of flash and 512 KB of RAM in one
# piece. QEMU has none: it runs on mps2-an500, which has more of both.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE arm-none-eabi
  CPU -mcpu=cortex-m7 -mfpu=fpv5-d16 -mfloat-abi=hard
  ISAS scalar dsp TILE 4x8 NO_PRUNED_ARGMAX
  MACHINE mps2_an500 FLASH_MIB 2
  RAM_KIB 512 THREADS 1
  EXAMPLE en-de-tiny --weights int6 --keep-int8 output --no-target-tokenizer
    --max-source-tokens 48 --max-target-tokens 48
  QEMU qemu-system-arm -M mps2-an500 -cpu cortex-m7 -display none
    -monitor none -serial stdio -semihosting -kernel)
