# What is different on Windows: names and arguments in UTF-8, line endings,
# messages of the system, threads.
#   cmake -DBIN=<folder of programs> "-DEMULATOR=<command>" -DWORK=<folder>
#     -DCONVERT=<this machine's converter> -DROOT=<source dir> -P at_home.cmake
# Tests programs/os/windows/system.cc.
cmake_minimum_required(VERSION 3.25)
set(ENV{LC_ALL} C.UTF-8)
set(folder "${WORK}/Grüße 世界")
set(model "${folder}/моделъ.ltm")
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${folder}")

# Runs a program, which must end with that code; sets `out` and `err`.
function(run code program)
  execute_process(COMMAND ${EMULATOR} "${BIN}/${program}.exe" ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT result EQUAL code)
    message(FATAL_ERROR "${program} ${ARGN}: exit code ${result}, not ${code}: "
      "${err}")
  endif()
  if("${out}${err}" MATCHES "\r")
    message(FATAL_ERROR "${program} ${ARGN}: a carriage return in ${out}${err}")
  endif()
  set(out "${out}" PARENT_SCOPE)
  set(err "${err}" PARENT_SCOPE)
endfunction()

function(expect_equal what got expected)
  if(NOT got STREQUAL expected)
    message(FATAL_ERROR "${what}: \"${got}\", not \"${expected}\"")
  endif()
endfunction()

set(demo "${ROOT}/examples/en-de")
execute_process(COMMAND "${CONVERT}" "${demo}" -o "${model}" --tile 4x8
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

run(0 latimer translate "${model}" --text "The café is über-cool, “naïve” 世界.")
set(expected "${out}")
string(LENGTH "${expected}" length)
if(length LESS 10)
  message(FATAL_ERROR "No translation: \"${out}\"")
endif()
file(WRITE "${folder}/zwölf.txt" "The café is über-cool, “naïve” 世界.\n")
run(0 latimer translate "${model}" "${folder}/zwölf.txt")
expect_equal("A file instead of --text" "${out}" "${expected}")
run(0 latimer translate "${model}" "${folder}/zwölf.txt"
  --output "${folder}/ζ.txt")
file(READ "${folder}/ζ.txt" written HEX)
string(HEX "${expected}" expected_hex)
expect_equal("--output" "${written}" "${expected_hex}")
run(0 latimer translate "${model}" "${folder}/zwölf.txt" --copy --threads 2
  --lanes 4)
expect_equal("A copy of the model, two threads" "${out}" "${expected}")

# The example in C maps the file itself. Its text ends as Windows ends lines.
file(COPY_FILE "${model}" "${WORK}/model.ltm")
run(0 latimer translate "${WORK}/model.ltm" --text "Where is the station?")
set(expected "${out}")
execute_process(COMMAND ${EMULATOR} "${BIN}/example_translate_c.exe"
    "${WORK}/model.ltm" "Where is the station?"
  OUTPUT_VARIABLE out COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\r" "" out "${out}")
expect_equal("The example in C" "${out}" "${expected}")

# Lines that end with CR LF, as the system's editors write them.
file(STRINGS "${demo}/data/test.en" lines ENCODING UTF-8 LIMIT_COUNT 20)
list(JOIN lines "\n" unix)
list(JOIN lines "\r\n" dos)
file(WRITE "${folder}/unix.txt" "${unix}\n")
file(WRITE "${folder}/dos.txt" "${dos}\r\n")
run(0 latimer translate "${model}" "${folder}/unix.txt" --threads 2)
set(expected "${out}")
run(0 latimer translate "${model}" "${folder}/dos.txt")
expect_equal("Lines with CR LF" "${out}" "${expected}")

run(2 latimer translate "${model}" "${folder}/unix.txt"
  --output "${folder}/unix.txt")
run(1 latimer translate "${folder}/нет.ltm" --text x)
expect_equal("A missing model" "${err}" "latimer: ${folder}/нет.ltm: cannot \
open the model (No such file or directory).\n")
run(1 latimer translate "${folder}" --text x)
run(1 latimer translate "${model}" "${folder}/fünf.txt")
expect_equal("A missing file" "${err}" "latimer: ${folder}/fünf.txt: cannot \
read the file (No such file or directory).\n")
run(0 latimer doctor "${model}" --report "${folder}/отчёт.json")
if(NOT EXISTS "${folder}/отчёт.json")
  message(FATAL_ERROR "doctor wrote no report")
endif()
