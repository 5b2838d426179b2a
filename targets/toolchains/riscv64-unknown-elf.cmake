# RISC-V without an operating system, with picolibc; the compiler has libraries
# for 32 bits, too, which a board's -march and -mabi choose. Debian has no
# headers of C++ for it; those for Arm do, because nothing of the library is
# linked.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/toolchain.cmake")
file(GLOB headers /usr/include/newlib/c++/*)
latimer_toolchain(TRIPLE riscv64-unknown-elf PROCESSOR riscv
  PACKAGES "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf \
libstdc++-arm-none-eabi-newlib"
  FLAGS --specs=picolibc.specs -mcmodel=medany
    -isystem "${headers}" -isystem "${headers}/arm-none-eabi"
  CPU -march=rv64gc -mabi=lp64d)
