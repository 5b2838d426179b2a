# Fails if a program needs more flash or RAM than its board has.
#   cmake -DNM=nm -DPROGRAM=<file> -DBOARD=<name> -DFLASH_MIB=N -DRAM_KIB=N
#     -P check_memory.cmake
cmake_minimum_required(VERSION 3.25)
math(EXPR FLASH_KIB "${FLASH_MIB} * 1024")

execute_process(COMMAND "${NM}" "${PROGRAM}" OUTPUT_VARIABLE symbols
  COMMAND_ERROR_IS_FATAL ANY)
foreach(memory IN ITEMS FLASH RAM)
  string(TOLOWER "${memory}" name)
  if(NOT symbols MATCHES "([0-9a-f]+) [A-Z] ${name}_bytes_used")
    message(FATAL_ERROR "${PROGRAM} was not linked with sections.ld.")
  endif()
  math(EXPR used "0x${CMAKE_MATCH_1}")
  math(EXPR bytes "${${memory}_KIB} * 1024")
  if(used GREATER bytes)
    message(FATAL_ERROR "The program needs ${used} bytes of ${memory}, but "
      "board ${BOARD} has ${bytes}: convert a smaller model, or with a smaller "
      "--max-source-tokens and --max-target-tokens, or take another board.")
  endif()
  message("${memory}: ${used} of ${bytes} bytes")
endforeach()
