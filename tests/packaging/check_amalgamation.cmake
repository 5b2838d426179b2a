# An amalgamation compiles with the commands that it names, without the source
# tree's headers, and translates as the PC's program does.
#   cmake -DBUILD=<folder> -DROOT=<source dir> -DWORK=<folder> -DCC=<compiler>
#     -DCXX=<compiler> "-DLINK=<flags>" "-DOBJECTS=<those of the bare program>"
#     "-DEMULATOR=<command>" -DCONVERT=<latimer-convert of the PC, beside
#     latimer> [-DTILE=<that of a build with files>]
#     [-DEXAMPLE=<folder of examples/>, by default the demo's] [-DSIGNATURES=ON]
#     ["-DOPTIONS=<of latimer-convert>"] -P check_amalgamation.cmake
# Without an operating system, the program is the bare one with another
# translate.cc; with one, it is examples/translate.c.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK}"
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
run("${CMAKE_COMMAND}" "-DBUILD=${BUILD}" "-DOUT=${WORK}"
  "-DSIGNATURES=${SIGNATURES}" -P "${ROOT}/packaging/amalgamate.cmake")

# The commands are in the files' comments.
set(files latimer.cc latimer_kernels.c)
if(SIGNATURES)
  list(APPEND files latimer_sodium.c)
endif()
foreach(file IN LISTS files)
  file(STRINGS "${WORK}/${file}" command LIMIT_COUNT 1
    REGEX "^// +c(c|\\+\\+) .* -c ${file}$")
  separate_arguments(command UNIX_COMMAND "${command}")
  list(POP_FRONT command)
  list(POP_FRONT command compiler)
  if(compiler STREQUAL "cc")
    run("${CC}" ${command})
  else()
    run("${CXX}" ${command})
    set(flags ${command})
  endif()
endforeach()
list(TRANSFORM files REPLACE "\\.cc?$" ".o" OUTPUT_VARIABLE objects)
list(FILTER flags EXCLUDE REGEX "^(-c|latimer\\.cc)$")
string(REPLACE ";" " " LINK "${LINK}")
separate_arguments(LINK UNIX_COMMAND "${LINK}")
list(REMOVE_ITEM LINK ${flags})  # GCC takes --specs once.
if(OBJECTS)
  run("${CXX}" ${flags} "-I${ROOT}/targets/bare" -I.
    -c "${ROOT}/tests/packaging/translate.cc")
  list(FILTER OBJECTS EXCLUDE REGEX "/translate\\.cc")  # Start code and model stay.
  set(linker "${CC}")  # Nothing of C++'s library.
else()
  file(COPY "${WORK}/latimer.h" DESTINATION "${WORK}/latimer")
  run("${CC}" -I. -c "${ROOT}/examples/translate.c" -o translate.o)
  set(linker "${CXX}")
  if(SIGNATURES)
    run("${CC}" -I. -c "${ROOT}/examples/product.c" -o product.o)
    run("${CXX}" ${flags} ${LINK} product.o ${objects} -lm -o product)
  endif()
endif()
run("${linker}" ${flags} ${LINK} translate.o ${OBJECTS} ${objects}
  -lm -o program)

file(STRINGS "${ROOT}/examples/en-de/data/test.en" lines ENCODING UTF-8
  LIMIT_COUNT 20)
list(JOIN lines "\n" text)
string(ASCII 4 end)  # Ctrl-D
file(WRITE "${WORK}/text" "${text}\n")
file(WRITE "${WORK}/input" "${text}\n${end}")
if(NOT EXAMPLE)
  set(EXAMPLE en-de)
endif()
run("${CONVERT}" "${ROOT}/examples/${EXAMPLE}" -o "${WORK}/pc.ltm" ${OPTIONS}
  --quiet)
get_filename_component(bin "${CONVERT}" DIRECTORY)
execute_process(COMMAND "${bin}/latimer" translate "${WORK}/pc.ltm"
  INPUT_FILE "${WORK}/text" OUTPUT_VARIABLE expected
  COMMAND_ERROR_IS_FATAL ANY)
if(OBJECTS)
  execute_process(COMMAND ${EMULATOR} "${WORK}/program"
    INPUT_FILE "${WORK}/input" OUTPUT_VARIABLE output
    COMMAND_ERROR_IS_FATAL ANY)
else()
  run("${CONVERT}" "${ROOT}/examples/en-de" -o "${WORK}/board.ltm"
    --tile "${TILE}" --quiet)
  set(output "")
  foreach(line IN LISTS lines)
    execute_process(COMMAND ${EMULATOR} "${WORK}/program" "${WORK}/board.ltm"
      "${line}" OUTPUT_VARIABLE translation COMMAND_ERROR_IS_FATAL ANY)
    string(APPEND output "${translation}")
  endforeach()
endif()
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "The translations are\n${output}\nnot\n${expected}")
endif()
