# latimer_toolchain(): a GCC cross compiler, Debian's or one from an SDK.
#
#   TRIPLE     as in Debian's g++-<TRIPLE>
#   PROCESSOR  CMAKE_SYSTEM_PROCESSOR
#   PACKAGES   Debian's packages, if it is not g++-<TRIPLE>
#   SYSTEM     CMAKE_SYSTEM_NAME, if it is not Linux
#   SUFFIX     of the compilers' names, unless they are of an SDK
#   CLANG      the version of Clang to use instead, with GCC's libraries
#   QEMU       the command that runs its programs on a PC
#   FLAGS      compiler flags, always
#   CPU        compiler flags if no board file says CPU
#
# Two variables, from -D or the environment, name an SDK instead of Debian's
# compiler (Yocto, Buildroot). To change them in a build folder, add --fresh.
#
#   LATIMER_CROSS_PREFIX  path and prefix of its gcc and g++
#   LATIMER_SYSROOT       its root folder, if the compiler does not know it

# Stops with one sentence if the compiler is missing or too old: CMake's own
# check fails later, in many lines.
function(latimer_check_compiler compiler packages)
  find_program(found NAMES "${compiler}" NO_CACHE)
  if(NOT found AND LATIMER_CROSS_PREFIX)
    message(FATAL_ERROR "${compiler} is missing: set LATIMER_CROSS_PREFIX to "
      "the path and prefix of your SDK's gcc and g++.")
  elseif(NOT found)
    message(FATAL_ERROR "${compiler} is missing: apt-get install "
      "${packages}, or set LATIMER_CROSS_PREFIX to an SDK's.")
  endif()
  # Fails for Clang, which is not asked.
  execute_process(COMMAND "${found}" -dumpfullversion OUTPUT_VARIABLE version
    RESULT_VARIABLE result ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(result EQUAL 0 AND version VERSION_LESS LATIMER_OLDEST_GCC)
    message(FATAL_ERROR "${compiler} is GCC ${version}, too old: Latimer "
      "needs GCC ${LATIMER_OLDEST_GCC} or newer.")
  endif()
endfunction()

macro(latimer_toolchain)
  cmake_parse_arguments(LATIMER_TOOLCHAIN ""
    "TRIPLE;PROCESSOR;PACKAGES;SYSTEM;SUFFIX;CLANG" "QEMU;FLAGS;CPU" ${ARGN})
  foreach(name IN ITEMS LATIMER_CROSS_PREFIX LATIMER_SYSROOT)
    set(${name} "$ENV{${name}}" CACHE STRING "Of an SDK to cross-compile with")
    list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ${name})
  endforeach()
  if(LATIMER_CROSS_PREFIX)
    set(CMAKE_C_COMPILER "${LATIMER_CROSS_PREFIX}gcc")
    set(CMAKE_CXX_COMPILER "${LATIMER_CROSS_PREFIX}g++")
  elseif(LATIMER_TOOLCHAIN_CLANG)
    set(CMAKE_C_COMPILER clang-${LATIMER_TOOLCHAIN_CLANG})
    set(CMAKE_CXX_COMPILER clang++-${LATIMER_TOOLCHAIN_CLANG})
    set(CMAKE_C_COMPILER_TARGET "${LATIMER_TOOLCHAIN_TRIPLE}")
    set(CMAKE_CXX_COMPILER_TARGET "${LATIMER_TOOLCHAIN_TRIPLE}")
  else()
    set(prefix "${LATIMER_TOOLCHAIN_TRIPLE}-")
    set(CMAKE_C_COMPILER "${prefix}gcc${LATIMER_TOOLCHAIN_SUFFIX}")
    set(CMAKE_CXX_COMPILER "${prefix}g++${LATIMER_TOOLCHAIN_SUFFIX}")
  endif()
  if(LATIMER_OLDEST_GCC)  # Not in CMake's own little projects.
    string(REPLACE "_" "-" package "g++-${LATIMER_TOOLCHAIN_TRIPLE}")
    if(LATIMER_TOOLCHAIN_PACKAGES)
      set(package "${LATIMER_TOOLCHAIN_PACKAGES}")
    endif()
    latimer_check_compiler("${CMAKE_CXX_COMPILER}" "${package}")
  endif()
  if(LATIMER_SYSROOT AND NOT IS_DIRECTORY "${LATIMER_SYSROOT}/usr")
    message(FATAL_ERROR "LATIMER_SYSROOT is ${LATIMER_SYSROOT}, which has no "
      "folder usr: name the root folder of the SDK's target.")
  endif()

  set(CMAKE_SYSTEM_NAME Linux)
  if(LATIMER_TOOLCHAIN_SYSTEM)
    set(CMAKE_SYSTEM_NAME "${LATIMER_TOOLCHAIN_SYSTEM}")
  endif()
  if(LATIMER_BARE)
    set(CMAKE_SYSTEM_NAME Generic)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  endif()
  set(CMAKE_SYSTEM_PROCESSOR "${LATIMER_TOOLCHAIN_PROCESSOR}")
  if(LATIMER_BOARD)
    list(APPEND LATIMER_TOOLCHAIN_FLAGS ${LATIMER_BOARD_CPU})
    set(LATIMER_TOOLCHAIN_QEMU ${LATIMER_BOARD_QEMU})
  else()
    list(APPEND LATIMER_TOOLCHAIN_FLAGS ${LATIMER_TOOLCHAIN_CPU})
  endif()
  list(JOIN LATIMER_TOOLCHAIN_FLAGS " " CMAKE_C_FLAGS_INIT)
  set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")

  # Uses nothing that is installed for this machine.
  set(CMAKE_FIND_ROOT_PATH "/usr/${LATIMER_TOOLCHAIN_TRIPLE}")
  if(LATIMER_SYSROOT)
    set(CMAKE_SYSROOT "${LATIMER_SYSROOT}")
    set(CMAKE_FIND_ROOT_PATH "${LATIMER_SYSROOT}")
  endif()
  set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
  set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
  set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
  set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

  set(CMAKE_CROSSCOMPILING_EMULATOR ${LATIMER_TOOLCHAIN_QEMU})
  # If this machine has the same architecture, "/" is the root.
  if(LATIMER_TOOLCHAIN_QEMU AND CMAKE_SYSTEM_NAME STREQUAL "Linux"
      AND EXISTS "${CMAKE_FIND_ROOT_PATH}")
    list(APPEND CMAKE_CROSSCOMPILING_EMULATOR -L "${CMAKE_FIND_ROOT_PATH}")
  endif()
endmacro()
