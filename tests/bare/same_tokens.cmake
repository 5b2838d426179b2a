# On a machine without an operating system, an example's ids are the published
# ones, and its texts are those of the PC.
#   cmake "-DEMULATOR=<command>" -DIDS_PROGRAM=<file> -DPROGRAM=<file>
#     -DCONVERT=<latimer-convert of the PC, beside latimer> -DMODEL=<file>
#     -DROOT=<source dir> -DEXAMPLE=<folder of examples/>
#     "-DOPTIONS=<of latimer-convert>" -DWORK=<folder> -DLINES=N
#     -P same_tokens.cmake
cmake_minimum_required(VERSION 3.25)
include("${ROOT}/tests/cmake/PublishedIds.cmake")

file(STRINGS "${ROOT}/examples/en-de/data/test.en" text ENCODING UTF-8 LIMIT_COUNT ${LINES})
list(JOIN text "\n" text)
file(WRITE "${WORK}/text" "${text}\n")
string(ASCII 4 end)  # Ctrl-D
file(WRITE "${WORK}/input" "${text}\n${end}")

# Sets `output` to what a program writes.
function(run program)
  execute_process(COMMAND ${EMULATOR} "${program}" INPUT_FILE "${WORK}/input"
    OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  set(output "${output}" PARENT_SCOPE)
endfunction()

run("${IDS_PROGRAM}")
string(REGEX REPLACE "# ([^\n]*)\n" "" ids "${output}")
message("${CMAKE_MATCH_1}")
string(SHA256 got "${ids}")
latimer_check_published_ids(${EXAMPLE} "${OPTIONS}" ${LINES} ${got}
  "They are\n${ids}")

# The PC reads its own tile.
get_filename_component(bin "${CONVERT}" DIRECTORY)
execute_process(COMMAND "${CONVERT}" "${ROOT}/examples/${EXAMPLE}"
    -o "${WORK}/pc.ltm" ${OPTIONS}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${bin}/latimer" translate "${WORK}/pc.ltm"
  INPUT_FILE "${WORK}/text" OUTPUT_VARIABLE expected
  COMMAND_ERROR_IS_FATAL ANY)
run("${PROGRAM}")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "The translations are\n${output}\nnot\n${expected}")
endif()
