# Tests that the ids of an example are the published ones.

# latimer_add_same_tokens_test(NAME WEIGHTS [TILE ...] [CPU ...]
# [CONVERT <this machine's converter>] [LINES <the first so many>]
# [EXAMPLE <folder of examples/> <options of latimer-convert>...])
function(latimer_add_same_tokens_test name weights)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TILE;CPU;CONVERT;LINES" "EXAMPLE")
  set(whose "the demo's")
  if(arg_EXAMPLE)
    list(GET arg_EXAMPLE 0 example)
    set(whose "${example}'s")
  else()
    set(arg_EXAMPLE en-de --weights ${weights})
  endif()
  set(options ${arg_EXAMPLE})
  list(POP_FRONT options example)
  set(lines 1000)
  if(latimer_short_tests OR NOT example STREQUAL "en-de")
    set(lines 200)
  endif()
  if(latimer_short_tests AND CMAKE_CROSSCOMPILING_EMULATOR)
    set(lines 60)
    if(weights STREQUAL "f32")  # QEMU computes each of its numbers by a call.
      set(lines 20)
    endif()
  endif()
  if(arg_LINES)
    set(lines ${arg_LINES})
  endif()
  set(test "system: ${whose} ids are the published ones, ${name}")
  string(MAKE_C_IDENTIFIER "${example} ${name}" work)
  add_test(NAME "${test}"
    COMMAND "${CMAKE_COMMAND}" "-DBIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
      "-DEMULATOR=${CMAKE_CROSSCOMPILING_EMULATOR}"
      "-DWORK=${PROJECT_BINARY_DIR}/same_tokens/${work}"
      "-DROOT=${PROJECT_SOURCE_DIR}" -DEXAMPLE=${example} "-DOPTIONS=${options}"
      -DLINES=${lines}
      -DTILE=${arg_TILE} -DCPU=${arg_CPU} "-DCONVERT=${arg_CONVERT}"
      "-DEXE=${CMAKE_EXECUTABLE_SUFFIX}"
      -P "${PROJECT_SOURCE_DIR}/tests/system/same_tokens.cmake")
  set_tests_properties("${test}" PROPERTIES
    SKIP_REGULAR_EXPRESSION "^SKIPPED" TIMEOUT 1800)
endfunction()

# latimer_add_x86_same_tokens_tests([CONVERT ...] [LINES ...]): that for each
# level of x86 and tile that has kernels of its own.
function(latimer_add_x86_same_tokens_tests)
  foreach(level IN ITEMS "4x8 sse41" "8x8 avx2" "8x8 avxvnni" "8x8 avx512"
      "16x8 avx512")
    string(REPLACE " " ";" words "${level}")
    list(GET words 0 tile)
    list(GET words 1 cpu)
    latimer_add_same_tokens_test("int8 ${level}" int8 TILE ${tile} CPU ${cpu}
      ${ARGN})
  endforeach()
  foreach(cpu IN ITEMS sse41 avx2)
    latimer_add_same_tokens_test("f32 ${cpu}" f32 TILE 8x1 CPU ${cpu} ${ARGN})
  endforeach()
endfunction()
