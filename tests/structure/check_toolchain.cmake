# A compiler or NDK that is missing or too old is named in one sentence.
#   cmake -DROOT=<source dir> -DWORK=<folder> -P check_toolchain.cmake
cmake_minimum_required(VERSION 3.25)

# Configures for a toolchain file with this variable, which must fail with
# `sentence`.
function(expect_failure toolchain variable sentence)
  file(REMOVE_RECURSE "${WORK}/build")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${ROOT}" -B "${WORK}/build"
      "-DCMAKE_TOOLCHAIN_FILE=${ROOT}/targets/${toolchain}" "-D${variable}"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")  # CMake wraps lines.
  string(FIND "${output}" "${sentence}" found)
  if(result EQUAL 0 OR found EQUAL -1)
    message(FATAL_ERROR "Expected failure with: ${sentence}\nGot:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
expect_failure(boards/raspberry_pi_4.cmake "LATIMER_CROSS_PREFIX=${WORK}/none-"
  "${WORK}/none-g++ is missing: set \
LATIMER_CROSS_PREFIX to the path and prefix of your SDK's gcc and g++.")

file(WRITE "${WORK}/old-g++" "#!/bin/sh\necho 10.2.1\n")
file(CHMOD "${WORK}/old-g++"
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
expect_failure(boards/raspberry_pi_4.cmake "LATIMER_CROSS_PREFIX=${WORK}/old-"
  "${WORK}/old-g++ is GCC 10.2.1, too old: \
Latimer needs GCC 11 or newer.")

expect_failure(toolchains/android.cmake "ANDROID_NDK_ROOT=${WORK}/none"
  "The Android NDK is missing: set ANDROID_NDK_ROOT to the folder of version 26 \
or newer.")
expect_failure(toolchains/arm64-apple.cmake "LATIMER_APPLE_SYSTEM=ios"
  "The SDK of iOS is missing: set LATIMER_APPLE_SDK to the folder iPhoneOS.sdk \
of Xcode.")
expect_failure(boards/linux_musl_aarch64.cmake "ZIG=${WORK}/none"
  "zig is missing: python3 -m pip install ziglang, or set ZIG to the path of the \
program.")
