# GCC keeps vectors of 32 and 64 bytes on the stack of Windows as if that were
# aligned to their size; the assembler must have made these accesses unaligned.
#   cmake -DOBJDUMP=<command> -DPROGRAM=<file> -P check_vector_moves.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(
  COMMAND "${OBJDUMP}" -d --no-show-raw-insn -M intel "${PROGRAM}"
  COMMAND grep -E "[yz]mm[0-9]+.*\\[|\\[.*[yz]mm[0-9]+"
  OUTPUT_VARIABLE lines RESULTS_VARIABLE results)
string(REGEX MATCHALL "\tvmov(ap[sd]|dqa[0-9]*|ntdqa?|ntp[sd]) [^\n]*" aligned
  "${lines}")
string(REGEX MATCHALL "\tvmov(up[sd]|dqu[0-9]*) [^\n]*" unaligned "${lines}")
list(LENGTH unaligned count)
if(count LESS 1000)
  message(FATAL_ERROR "${PROGRAM} has only ${count} moves of wide vectors: "
    "wrong file?")
endif()
if(aligned)
  list(JOIN aligned "\n" aligned)
  message(FATAL_ERROR "These need aligned memory:\n${aligned}")
endif()
message("${count} moves of wide vectors, none of which needs alignment.")
