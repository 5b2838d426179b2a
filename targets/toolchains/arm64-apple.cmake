# macOS on 64-bit ARM, cross-compiled by Zig, which has the headers of macOS and
# what is linked. For iOS it needs an SDK of Apple's:
#
#   LATIMER_APPLE_SYSTEM  macos or ios
#   LATIMER_APPLE_SDK     for ios, from -D or the environment: iPhoneOS.sdk
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/zig.cmake")
set(LATIMER_APPLE_SYSTEM macos CACHE STRING "macos or ios")
set(LATIMER_APPLE_SDK "$ENV{LATIMER_APPLE_SDK}" CACHE PATH "iPhoneOS.sdk")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES
  LATIMER_APPLE_SYSTEM LATIMER_APPLE_SDK)
if(LATIMER_APPLE_SYSTEM STREQUAL "macos")
  # The oldest that runs on these Macs.
  latimer_zig_toolchain(TARGET aarch64-macos.11.0
    SYSTEM Darwin PROCESSOR arm64)
else()
  if(NOT EXISTS "${LATIMER_APPLE_SDK}/SDKSettings.json")
    message(FATAL_ERROR "The SDK of iOS is missing: set LATIMER_APPLE_SDK to "
      "the folder iPhoneOS.sdk of Xcode.")
  endif()
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # No program is linked.
  latimer_zig_toolchain(TARGET aarch64-ios.14.0 SYSTEM Darwin PROCESSOR arm64
    FLAGS -isysroot "${LATIMER_APPLE_SDK}"
      -isystem "${LATIMER_APPLE_SDK}/usr/include")
endif()
set(CMAKE_OSX_SYSROOT "")  # Zig finds everything itself.
