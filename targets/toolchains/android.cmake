# Android, with an NDK; ANDROID_ABI is arm64-v8a, armeabi-v7a or x86_64.
#
#   ANDROID_NDK_ROOT  the NDK's folder, from -D or the environment
#   ANDROID_PLATFORM  the oldest Android: by default 23 (6.0), the oldest that
#                     Android's own libraries (androidx) support. Everything
#                     that the runtime asks of the C library is in 21.

if(NOT ANDROID_NDK_ROOT)
  set(ANDROID_NDK_ROOT "$ENV{ANDROID_NDK_ROOT}" CACHE PATH "An Android NDK"
    FORCE)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ANDROID_NDK_ROOT)
set(latimer_ndk "${ANDROID_NDK_ROOT}/build/cmake/android.toolchain.cmake")
if(NOT EXISTS "${latimer_ndk}")
  message(FATAL_ERROR "The Android NDK is missing: set ANDROID_NDK_ROOT to the "
    "folder of version 26 or newer.")
endif()
if(NOT ANDROID_PLATFORM)
  set(ANDROID_PLATFORM android-23)
endif()
set(ANDROID_STL c++_static)  # Its headers: nothing of it is linked.
include("${latimer_ndk}")
