# examples/control_loop keeps every period beside translation, whose ids are the
# published ones, also after translations that were ended early.
#   cmake "-DEMULATOR=<command>" -DPROGRAM=<file> -DROOT=<source dir>
#     -DEXAMPLE=<folder of examples/> "-DOPTIONS=<of latimer-convert>"
#     -DWORK=<folder> -DLINES=N -P control_loop.cmake
cmake_minimum_required(VERSION 3.25)
include("${ROOT}/tests/cmake/PublishedIds.cmake")

file(STRINGS "${ROOT}/examples/en-de/data/test.en" text ENCODING UTF-8
  LIMIT_COUNT ${LINES})
list(JOIN text "\n" text)
string(ASCII 4 end)  # Ctrl-D
file(WRITE "${WORK}/lines_${LINES}" "${text}\n${end}")

# An instruction takes 2^6 ns, longer than a tick of the timer, so that nothing
# depends on this machine and an instruction more would show.
set(shift 6)
list(INSERT EMULATOR 1 -icount shift=${shift})
math(EXPR instruction "1 << ${shift}")
execute_process(COMMAND ${EMULATOR} "${PROGRAM}"
  INPUT_FILE "${WORK}/lines_${LINES}" OUTPUT_VARIABLE output
  RESULT_VARIABLE code)
message("${output}")
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${code}.")
endif()

# Sets `numbers` to the groups of a line.
macro(find_line line)
  if(NOT output MATCHES "(^|\n)# ${line}\n")
    message(FATAL_ERROR "There is no line \"${line}\".")
  endif()
  set(numbers "${CMAKE_MATCH_2};${CMAKE_MATCH_3};${CMAKE_MATCH_4};${CMAKE_MATCH_5}")
endmacro()
set(n "([0-9]+)")

find_line("interrupt: ${n} of ${n} periods, late by ${n} to ${n} ns")
list(GET numbers 0 counted)
list(GET numbers 1 passed)
list(GET numbers 2 earliest)
list(GET numbers 3 latest)
math(EXPR jitter "${latest} - ${earliest}")
if(NOT counted EQUAL passed OR passed LESS 1000
    OR jitter GREATER_EQUAL instruction)
  message(FATAL_ERROR "The interrupt came ${counted} times in ${passed} "
    "periods, with a jitter of ${jitter} ns.")
endif()
find_line("control task: 0 of [1-9][0-9]+ wakes missed, late by up to ${n} ns")
find_line("servo: as alone")
find_line("stacks: control [0-9]+ bytes, translation ${n} of ${n}")
list(GET numbers 0 used)
list(GET numbers 1 most)
if(used GREATER most OR used LESS 1000)
  message(FATAL_ERROR "The translation used ${used} bytes of its stack.")
endif()
find_line("flag: cancelled after [0-9]+ tokens")
find_line("1 ms: budget after [0-9]+ tokens")
find_line("2 tokens: budget after 2 tokens")
find_line("from the restart to a loaded model: ${n} ns")

string(REGEX MATCHALL "# ids [^\n]*\n" ids "${output}")
list(JOIN ids "" ids)
string(REPLACE "# ids " "" ids "${ids}")
string(SHA256 got "${ids}")
latimer_check_published_ids(${EXAMPLE} "${OPTIONS}" ${LINES} ${got}
  "They are\n${ids}")

find_line("longest, ns: Begin ${n}, step with the encoder ${n}, other step \
${n}, with the encoder of [0-9]+ tokens ${n}")
foreach(what IN ITEMS "Begin" "step with the encoder" "other step"
    "step with the longest encoder")
  list(POP_FRONT numbers number)
  math(EXPR number "${number} / ${instruction}")
  message("${what}: ${number} instructions")
endforeach()
