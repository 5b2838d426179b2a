# latimer_zig_toolchain(): the C and C++ compilers of Zig, which bring the
# libraries of other systems along.
#
#   TARGET      as Zig names it
#   SYSTEM      CMAKE_SYSTEM_NAME
#   PROCESSOR   CMAKE_SYSTEM_PROCESSOR
#   FLAGS       compiler flags, always
#   LINK_FLAGS  flags for linking programs
#
# Zig is the variable ZIG, from -D or the environment, the program zig, or the
# Python package ziglang. It names CPUs in its own way: cortex_a72.

function(latimer_find_zig)
  set(zig "${ZIG}")
  if(NOT zig)
    set(zig "$ENV{ZIG}")
  endif()
  if(NOT zig)
    find_program(zig zig NO_CACHE)
  endif()
  if(NOT zig)
    execute_process(COMMAND python3 -c "import os, ziglang
print(os.path.join(os.path.dirname(ziglang.__file__), 'zig'), end='')"
      OUTPUT_VARIABLE zig ERROR_QUIET)
  endif()
  if(NOT zig OR NOT EXISTS "${zig}")
    message(FATAL_ERROR "zig is missing: python3 -m pip install ziglang, or "
      "set ZIG to the path of the program.")
  endif()
  set(ZIG "${zig}" CACHE FILEPATH "The program zig, a C and C++ compiler" FORCE)
endfunction()

macro(latimer_zig_toolchain)
  cmake_parse_arguments(LATIMER_TOOLCHAIN "" "TARGET;SYSTEM;PROCESSOR"
    "FLAGS;LINK_FLAGS" ${ARGN})
  latimer_find_zig()
  list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ZIG)
  set(LATIMER_ZIG ON)
  set(CMAKE_SYSTEM_NAME "${LATIMER_TOOLCHAIN_SYSTEM}")
  set(CMAKE_SYSTEM_PROCESSOR "${LATIMER_TOOLCHAIN_PROCESSOR}")
  set(CMAKE_C_COMPILER "${ZIG}" cc -target ${LATIMER_TOOLCHAIN_TARGET})
  set(CMAKE_CXX_COMPILER "${ZIG}" c++ -target ${LATIMER_TOOLCHAIN_TARGET})
  # Zig's programs for archives are words of its command line.
  set(CMAKE_AR "${ZIG}")
  set(CMAKE_RANLIB "${ZIG}")
  # Zig checks for undefined behaviour unless told otherwise.
  list(JOIN LATIMER_TOOLCHAIN_FLAGS " " LATIMER_TOOLCHAIN_FLAGS)
  list(JOIN LATIMER_BOARD_CPU " " LATIMER_TOOLCHAIN_CPU)
  foreach(language IN ITEMS C CXX)
    set(CMAKE_${language}_FLAGS_INIT "-fno-sanitize=undefined \
${LATIMER_TOOLCHAIN_CPU} ${LATIMER_TOOLCHAIN_FLAGS}")
    set(CMAKE_${language}_COMPILER_AR "${ZIG}")
    set(CMAKE_${language}_COMPILER_RANLIB "${ZIG}")
    set(CMAKE_${language}_ARCHIVE_CREATE
      "<CMAKE_AR> ar qc <TARGET> <LINK_FLAGS> <OBJECTS>")
    set(CMAKE_${language}_ARCHIVE_APPEND
      "<CMAKE_AR> ar q <TARGET> <LINK_FLAGS> <OBJECTS>")
    set(CMAKE_${language}_ARCHIVE_FINISH "<CMAKE_RANLIB> ranlib <TARGET>")
  endforeach()
  list(JOIN LATIMER_TOOLCHAIN_LINK_FLAGS " " CMAKE_EXE_LINKER_FLAGS_INIT)
  set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
  foreach(kind IN ITEMS LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
  endforeach()
  set(CMAKE_CROSSCOMPILING_EMULATOR ${LATIMER_BOARD_QEMU})
endmacro()
