# 64-bit RISC-V without an operating system: QEMU's virt.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/board.cmake")
latimer_board(TRIPLE riscv64-unknown-elf CPU -march=rv64gc -mabi=lp64d
  ISAS scalar TILE 4x4 NO_PRUNED_ARGMAX
  MACHINE riscv_virt FLASH_MIB 16
  RAM_MIB 4 THREADS 1
  QEMU qemu-system-riscv64 -M virt -bios none -display none -monitor none
    -serial stdio -kernel)
