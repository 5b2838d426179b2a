# 64-bit ARM Linux with musl, such as Alpine and postmarketOS. Threads get the
# stack that the C++ code of others expects; musl's own default is 128 KB.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/zig.cmake")
latimer_zig_toolchain(TARGET aarch64-linux-musl
  SYSTEM Linux PROCESSOR aarch64
  LINK_FLAGS -Wl,-z,stack-size=8388608)
