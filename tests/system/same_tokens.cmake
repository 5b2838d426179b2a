# An example's token ids are the published ones, as a user sees them:
# latimer-convert, latimer tokenize, latimer translate --ids.
#   cmake -DBIN=<folder of programs> "-DEMULATOR=<command>" -DWORK=<folder>
#     -DROOT=<source dir> -DEXAMPLE=<folder of examples/>
#     "-DOPTIONS=<of latimer-convert>" -DLINES=<the first so many>
#     [-DTILE=<tile>] [-DCPU=<level>] [-DEXE=<end of programs' names>]
#     [-DCONVERT=<this machine's converter>]
#     -P same_tokens.cmake
# Without TILE it is the one that the program asks for. Prints SKIPPED where
# this CPU or build lacks what TILE or CPU want.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/PublishedIds.cmake")
set(texts "${ROOT}/examples/en-de/data/test.en")
set(model "${WORK}/model.ltm")
file(MAKE_DIRECTORY "${WORK}")

file(STRINGS "${texts}" text ENCODING UTF-8 LIMIT_COUNT ${LINES})
list(LENGTH text count)
list(JOIN text "\n" text)
if(NOT count EQUAL LINES)
  message(FATAL_ERROR "${texts}: ${count} lines, not ${LINES}.")
endif()
file(WRITE "${WORK}/text" "${text}\n")

set(converter ${EMULATOR} "${BIN}/latimer-convert${EXE}")
if(CONVERT)
  set(converter "${CONVERT}")
endif()
set(cpu "")
if(CPU)
  set(cpu --cpu ${CPU})
endif()

# Converts and loads; sets `error` to what the runtime says.
function(convert tile)
  execute_process(COMMAND ${converter} "${ROOT}/examples/${EXAMPLE}"
      -o "${model}" ${OPTIONS} ${tile}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE "${WORK}/nothing" "")
  execute_process(COMMAND ${EMULATOR} "${BIN}/latimer${EXE}" tokenize "${model}" ${cpu}
    INPUT_FILE "${WORK}/nothing" OUTPUT_QUIET ERROR_VARIABLE error
    RESULT_VARIABLE code)
  if(code EQUAL 0)
    set(error "")  # The emulator may have talked.
  endif()
  set(error "${error}" PARENT_SCOPE)
endfunction()

if(TILE)
  convert("--tile;${TILE}")
else()
  convert("")
  if(error MATCHES "--tile ([0-9xs]+)")
    convert("--tile;${CMAKE_MATCH_1}")
  endif()
endif()
if(error)
  if(TILE AND error MATCHES "CPU|This build has no kernels")
    message("SKIPPED: ${error}")
    return()
  endif()
  message(FATAL_ERROR "${error}")
endif()

execute_process(COMMAND ${EMULATOR} "${BIN}/latimer${EXE}" tokenize "${model}" ${cpu}
  INPUT_FILE "${WORK}/text" OUTPUT_FILE "${WORK}/source_ids"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND ${EMULATOR} "${BIN}/latimer${EXE}" translate "${model}" --ids ${cpu}
  INPUT_FILE "${WORK}/source_ids" OUTPUT_FILE "${WORK}/target_ids"
  COMMAND_ERROR_IS_FATAL ANY)
file(SHA256 "${WORK}/target_ids" got)
latimer_check_published_ids(${EXAMPLE} "${OPTIONS}" ${LINES} ${got}
  "They are in ${WORK}/target_ids.")
