# An amalgamation compiles with the commands that it names, without the source
# tree's headers, and translates under the emulator as the PC does.
#   cmake -DBUILD=<folder> -DROOT=<source dir> -DWORK=<folder> -DCC=<compiler>
#     -DCXX=<compiler> "-DLINK=<flags>" "-DOBJECTS=<those of the bare program>"
#     "-DEMULATOR=<command>" -DCONVERT=<latimer-convert of the PC, beside
#     latimer> -P check_amalgamation.cmake
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK}"
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
run("${CMAKE_COMMAND}" "-DBUILD=${BUILD}" "-DOUT=${WORK}"
  -P "${ROOT}/packaging/amalgamate.cmake")

# The commands are in the files' comments.
foreach(file IN ITEMS latimer.cc latimer_kernels.c)
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
list(FILTER flags EXCLUDE REGEX "^(-c|latimer\\.cc)$")
run("${CXX}" ${flags} "-I${ROOT}/targets/bare" -I.
  -c "${ROOT}/tests/packaging/translate.cc")
string(REPLACE ";" " " LINK "${LINK}")
separate_arguments(LINK UNIX_COMMAND "${LINK}")
list(FILTER OBJECTS EXCLUDE REGEX "/translate\\.cc")  # Start code and model stay.
run("${CXX}" ${flags} ${LINK} translate.o ${OBJECTS} latimer.o
  latimer_kernels.o -o program)

file(STRINGS "${ROOT}/examples/en-de/data/test.en" text ENCODING UTF-8
  LIMIT_COUNT 20)
list(JOIN text "\n" text)
string(ASCII 4 end)  # Ctrl-D
file(WRITE "${WORK}/text" "${text}\n")
file(WRITE "${WORK}/input" "${text}\n${end}")
run("${CONVERT}" "${ROOT}/examples/en-de" -o "${WORK}/pc.ltm" --quiet)
get_filename_component(bin "${CONVERT}" DIRECTORY)
execute_process(COMMAND "${bin}/latimer" translate "${WORK}/pc.ltm"
  INPUT_FILE "${WORK}/text" OUTPUT_VARIABLE expected
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${EMULATOR} "${WORK}/program"
  INPUT_FILE "${WORK}/input" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "The translations are\n${output}\nnot\n${expected}")
endif()
