# Builds the project in the folder WAY as a stranger would, and runs its
# programs. They must translate as `latimer` does.
#   cmake -DWAY=<folder> -DWORK=<folder> -DPREFIX=<installation>
#     -DLATIMER=<program> -DMODEL=<demo model> -DVERSION=<version>
#     -DC=<compiler> -DCXX=<compiler> -DISA=<instruction set>
#     -DCACHE=<LATIMER_CACHE_DIR> -DSCHEMA_COMPILER=<program>
#     -DCONVERT=<latimer-convert> -DDEMO=<folder> -DCOMPILE_ONLY=ON|OFF
#     -P check.cmake
# COMPILE_ONLY leaves out all that would build the whole runtime.
cmake_minimum_required(VERSION 3.25)

# Sets `output` to what a command prints; it must succeed.
function(run)
  execute_process(COMMAND ${ARGV}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\n${output}${error}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Expects a command to fail and to say something.
function(expect_failure says)
  execute_process(COMMAND ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result EQUAL 0 OR NOT output MATCHES "${says}")
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nshould fail with ${says}:\n${output}")
  endif()
endfunction()

set(text "Where is the station?")
set(project "${CMAKE_CURRENT_LIST_DIR}/${WAY}")
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(configure "${CMAKE_COMMAND}" -G Ninja -S "${project}" -B "${WORK}"
  "-DCMAKE_C_COMPILER=${C}" "-DCMAKE_CXX_COMPILER=${CXX}"
  "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DVERSION=${VERSION}"
  "-DLATIMER_CACHE_DIR=${CACHE}" -DLATIMER_CONVERTER=OFF
  "-DLATIMER_ISAS=${ISA}" "-DLATIMER_SCHEMA_COMPILER=${SCHEMA_COMPILER}"
  -DCMAKE_BUILD_TYPE=Debug  # Without what only a debugger reads.
  -DCMAKE_C_FLAGS_DEBUG=-O0 -DCMAKE_CXX_FLAGS_DEBUG=-O0)
run("${LATIMER}" translate "${MODEL}" --text "${text}")
set(expected "${output}")

if(WAY STREQUAL "pkg_config")
  run("${project}/build.sh" "${CXX}" "${PREFIX}" "${WORK}")
elseif(COMPILE_ONLY)
  run(${configure})
  get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
  run("${CMAKE_COMMAND}" --build "${WORK}" --target
    "CMakeFiles/cpp.dir${root}/examples/translate.cc.o"
    "CMakeFiles/c.dir${root}/examples/translate.c.o"
    CMakeFiles/cpp.dir/headers.cc.o)
  return()
elseif(WAY STREQUAL "two_runtimes")
  foreach(tokens IN ITEMS long:200 short:40)
    string(REGEX MATCH "^(.*):(.*)$" tokens "${tokens}")
    run("${CONVERT}" "${DEMO}" -o "${WORK}/model.ltm"
      --profile "${WORK}/${CMAKE_MATCH_1}.h"
      --max-source-tokens ${CMAKE_MATCH_2})
  endforeach()
  list(APPEND configure "-DPROFILES=${WORK}")
  run(${configure})
  run("${CMAKE_COMMAND}" --build "${WORK}")
  run("${WORK}/cpp" "${MODEL}" "${text}")
  if(NOT output STREQUAL "200: ${expected}${expected}")
    message(FATAL_ERROR "The two runtimes give\n${output}")
  endif()
  expect_failure("undefined reference to .latimer_short_[0-9a-f]+::HostedModel"
    "${CMAKE_COMMAND}" --build "${WORK}" --target mismatch)
  expect_failure("LATIMER_RUNTIME" ${configure} -DLINK_BOTH=ON)
  return()
else()
  run(${configure})
  run("${CMAKE_COMMAND}" --build "${WORK}" --target cpp c version)
endif()

foreach(program IN ITEMS cpp c)
  run("${WORK}/${program}" "${MODEL}" "${text}")
  if(NOT output STREQUAL expected)
    message(FATAL_ERROR "${program} gives\n${output}\nand not\n${expected}")
  endif()
endforeach()
run("${WORK}/version")
if(NOT output STREQUAL "${VERSION} ${VERSION}\n")
  message(FATAL_ERROR "${VERSION} is installed, but the program says ${output}")
endif()
