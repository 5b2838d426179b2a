# latimer-convert.exe writes the bytes that this machine's converter writes.
#   cmake -DBIN=<folder of programs> "-DEMULATOR=<command>" -DWORK=<folder>
#     -DCONVERT=<this machine's converter> -DROOT=<source dir> -P convert.cmake
# Tests converter/windows/system.cc.
cmake_minimum_required(VERSION 3.25)
set(ENV{LC_ALL} C.UTF-8)
set(folder "${WORK}/Grüße 世界")
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${folder}")
set(demo "${folder}/английский")
file(COPY "${ROOT}/examples/en-de/" DESTINATION "${demo}")

# Sets `err` to what latimer-convert.exe says; it must end with that code.
function(convert code)
  execute_process(COMMAND ${EMULATOR} "${BIN}/latimer-convert.exe" ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT result EQUAL code)
    message(FATAL_ERROR "${ARGN}: exit code ${result}, not ${code}: ${err}")
  endif()
  set(err "${err}" PARENT_SCOPE)
endfunction()

set(expected "${WORK}/expected.ltm")
set(got "${folder}/модель.ltm")
foreach(options IN ITEMS "--tile;4x8" "--tile;8x1;--weights;f32")
  execute_process(COMMAND "${CONVERT}" "${demo}" -o "${expected}" ${options}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  convert(0 "${demo}" -o "${got}" ${options})  # At last over a model.
  file(SHA256 "${expected}" expected_sha256)
  file(SHA256 "${got}" got_sha256)
  if(NOT got_sha256 STREQUAL expected_sha256)
    message(FATAL_ERROR "${options}: ${got} is not ${expected}.")
  endif()
endforeach()

# What is no model is not replaced, and nothing is left behind.
file(GLOB weights "${demo}/*.safetensors")
file(SHA256 "${weights}" before)
convert(1 "${demo}" -o "${weights}")
file(SHA256 "${weights}" after)
if(NOT after STREQUAL before)
  message(FATAL_ERROR "${weights} was written to.")
endif()
file(GLOB left RELATIVE "${folder}" "${folder}/*")
list(SORT left)
if(NOT left STREQUAL "английский;модель.ltm")
  message(FATAL_ERROR "${folder} has ${left}.")
endif()
