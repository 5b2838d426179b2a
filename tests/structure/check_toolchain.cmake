# A compiler that is missing or too old is named in one sentence.
#   cmake -DROOT=<source dir> -DWORK=<folder> -P check_toolchain.cmake
cmake_minimum_required(VERSION 3.25)

# Configures raspberry_pi_4 with this LATIMER_CROSS_PREFIX, which must fail
# with `sentence`.
function(expect_failure prefix sentence)
  file(REMOVE_RECURSE "${WORK}/build")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${ROOT}" -B "${WORK}/build"
      "-DCMAKE_TOOLCHAIN_FILE=${ROOT}/targets/boards/raspberry_pi_4.cmake"
      "-DLATIMER_CROSS_PREFIX=${prefix}"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")  # CMake wraps lines.
  string(FIND "${output}" "${sentence}" found)
  if(result EQUAL 0 OR found EQUAL -1)
    message(FATAL_ERROR "Expected failure with: ${sentence}\nGot:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
expect_failure("${WORK}/none-" "${WORK}/none-g++ is missing: set \
LATIMER_CROSS_PREFIX to the path and prefix of your SDK's gcc and g++.")

file(WRITE "${WORK}/old-g++" "#!/bin/sh\necho 10.2.1\n")
file(CHMOD "${WORK}/old-g++"
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
expect_failure("${WORK}/old-" "${WORK}/old-g++ is GCC 10.2.1, too old: \
Latimer needs GCC 11 or newer.")
