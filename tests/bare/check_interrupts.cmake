# Fails if the library masks interrupts, waits for them, calls a supervisor or
# knows a register of the CPU's interrupt controller, or if it has a variable of
# its own, which tasks would share; also if the C library in a program masks or
# waits.
#   cmake -DOBJDUMP=objdump -DNM=nm "-DLIBRARIES=<file>;..." -DPROGRAM=<file>
#     -DMASKING=<object of masks_interrupts.cc> -P check_interrupts.cmake
cmake_minimum_required(VERSION 3.25)

set(instructions "\t(cps|msr|svc|wfi|wfe)[^\n]*")
# The upper half of their addresses is 0xe000.
set(registers "\tmovt[^\n]*#57344[^\n]*|\\.word\t0xe000[ed][^\n]*")

# Sets `found` to the lines of a file's code that match.
function(search file pattern)
  execute_process(COMMAND "${OBJDUMP}" -d "${file}" OUTPUT_VARIABLE code
    COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "," code "${code}")
  string(REGEX MATCHALL "${pattern}" found "${code}")
  string(REGEX MATCHALL ">:\n" functions "${code}")
  list(LENGTH functions count)
  message("${count} functions in ${file}")
  set(found "${found}" PARENT_SCOPE)
endfunction()

search("${MASKING}" "${instructions}|${registers}")
list(LENGTH found count)
if(NOT count EQUAL 7)
  message(FATAL_ERROR "Of 7 ways to hold interrupts up, these were found:\n"
    "${found}")
endif()

foreach(library IN LISTS LIBRARIES)
  search("${library}" "${instructions}|${registers}")
  if(found)
    message(FATAL_ERROR "${library} has${found}")
  endif()
  execute_process(COMMAND "${NM}" "${library}" OUTPUT_VARIABLE symbols
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " [bBdDC] [^\n]*\n" variables "${symbols}")
  if(variables OR NOT symbols MATCHES " [tTW] ")
    message(FATAL_ERROR "${library} has variables:\n${variables}")
  endif()
endforeach()
search("${PROGRAM}" "${instructions}")
if(found)
  message(FATAL_ERROR "${PROGRAM} has${found}")
endif()
