# A program is a signed one for macOS 11 on 64-bit ARM that needs no library but
# the system's own.
#   cmake -DOBJDUMP=llvm-objdump -DPROGRAM=<file> -P check_program.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(
  COMMAND "${OBJDUMP}" --macho --private-headers "${PROGRAM}"
  OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[ \n]+" " " headers "${headers}")

foreach(expected IN ITEMS
    # Magic, CPU, its type, capabilities, kind of file.
    " MH_MAGIC_64 ARM64 ALL 0x00 EXECUTE "
    # Linked to the functions of named libraries, at any address.
    " TWOLEVEL .*PIE "
    "cmd LC_BUILD_VERSION cmdsize [0-9]+ platform macos sdk [0-9.]+ minos 11[.]0 "
    # Without one, even if made by nobody, the system ends a program for ARM.
    "cmd LC_CODE_SIGNATURE ")
  if(NOT headers MATCHES "${expected}")
    message(FATAL_ERROR "${PROGRAM}: no \"${expected}\" in\n${headers}")
  endif()
endforeach()

string(REGEX MATCHALL "cmd LC_LOAD_[A-Z_]*DYLIB cmdsize [0-9]+ name [^ ]+"
  libraries "${headers}")
list(TRANSFORM libraries REPLACE ".* name " "")
if(NOT libraries STREQUAL "/usr/lib/libSystem.B.dylib")
  message(FATAL_ERROR "${PROGRAM} needs ${libraries}")
endif()
message("For macOS 11 on 64-bit ARM; its only library is ${libraries}.")
