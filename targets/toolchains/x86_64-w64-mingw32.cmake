# 64-bit x86 Windows. -posix has the threads of C++, which the programs and the
# tests use. Wine runs its programs, in a folder of its own for each build.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/toolchain.cmake")
find_program(LATIMER_WINE NAMES wine64 wine HINTS /usr/lib/wine)
if(NOT LATIMER_WINE)
  set(LATIMER_WINE wine64)
endif()
latimer_toolchain(TRIPLE x86_64-w64-mingw32 PROCESSOR x86_64 SYSTEM Windows
  PACKAGES g++-mingw-w64-x86-64-posix SUFFIX -posix
  QEMU env WINEDEBUG=-all "WINEPREFIX=${CMAKE_BINARY_DIR}/wine" "${LATIMER_WINE}")
