# 32-bit RISC-V with an FPU, without an operating system (rv32imafc), as an
# ESP32-P4: QEMU's virt.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE riscv64-unknown-elf CPU -march=rv32imafc -mabi=ilp32f
  ISAS scalar TILE 4x4 NO_PRUNED_ARGMAX
  MACHINE riscv_virt FLASH_MIB 16
  RAM_MIB 4 THREADS 1
  QEMU qemu-system-riscv32 -M virt -cpu rv32,d=false -bios none
    -display none -monitor none -serial stdio -kernel)
