# LATIMER_CANNOT_RUN: one sentence that says why programs of this build do not
# run on this machine; empty if they do.
include_guard()

set(LATIMER_CANNOT_RUN "")
if(CMAKE_CROSSCOMPILING_EMULATOR)
  set(latimer_emulator ${CMAKE_CROSSCOMPILING_EMULATOR})
  list(FILTER latimer_emulator EXCLUDE REGEX "^env$|=")
  list(GET latimer_emulator 0 latimer_emulator)
  find_program(latimer_found NAMES "${latimer_emulator}" NO_CACHE)
  if(NOT latimer_found)
    set(package qemu-user)
    if(WIN32)
      set(package wine64)
    elseif(LATIMER_BARE)
      set(package "qemu-system-arm qemu-system-misc")
    endif()
    set(LATIMER_CANNOT_RUN "${latimer_emulator} is missing, which runs the \
tests: apt-get install ${package}.")
  endif()
elseif(LATIMER_BOARD_NEEDS)
  set(latimer_cpu "")
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo latimer_cpu REGEX "^flags" LIMIT_COUNT 1)
  endif()
  if(NOT "${latimer_cpu} " MATCHES " ${LATIMER_BOARD_NEEDS} ")
    set(LATIMER_CANNOT_RUN "A CPU with ${LATIMER_BOARD_NEEDS} is missing, \
which runs the tests of ${LATIMER_BOARD}: QEMU has none, so test on such a \
machine.")
  endif()
endif()
