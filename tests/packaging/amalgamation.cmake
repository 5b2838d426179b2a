# The tests of packaging/amalgamate.cmake, for boards with one instruction set.

# latimer_test_amalgamation(<with what> CC <compiler> CXX <compiler> LINK <flags>
#   [OBJECTS <files>] [SIGNATURES])
function(latimer_test_amalgamation with)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SIGNATURES" "CC;CXX" "LINK;OBJECTS")
  set(test "packaging: An amalgamation compiles alone, ${with}")
  string(MAKE_C_IDENTIFIER "${with}" folder)
  add_test(NAME "${test}"
    COMMAND "${CMAKE_COMMAND}" "-DBUILD=${PROJECT_BINARY_DIR}"
      "-DROOT=${PROJECT_SOURCE_DIR}"
      "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/amalgamation/${folder}"
      "-DCC=${arg_CC}" "-DCXX=${arg_CXX}" "-DLINK=${arg_LINK}"
      "-DOBJECTS=${arg_OBJECTS}" "-DSIGNATURES=${arg_SIGNATURES}" "-DEMULATOR=${CMAKE_CROSSCOMPILING_EMULATOR}"
      "-DCONVERT=${latimer_convert}" "-DTILE=${LATIMER_TILE}"
      "-DEXAMPLE=${latimer_bare_example}" "-DOPTIONS=${latimer_bare_options}"
      -P "${PROJECT_SOURCE_DIR}/tests/packaging/check_amalgamation.cmake")
  set_tests_properties("${test}" PROPERTIES LABELS runtime TIMEOUT 600)
endfunction()

if(LATIMER_BARE AND NOT LATIMER_EMBED AND NOT LATIMER_BARE STREQUAL "wasm")
  latimer_test_amalgamation("for ${LATIMER_BOARD}"
    CC "${CMAKE_C_COMPILER}" CXX "${CMAKE_CXX_COMPILER}"
    LINK ${CMAKE_CXX_FLAGS} $<TARGET_PROPERTY:latimer,LINK_OPTIONS>
    OBJECTS $<TARGET_OBJECTS:latimer>)
elseif(LATIMER_BOARD STREQUAL "x86_64_v3")
  include(LatimerConvert)
  latimer_test_amalgamation("with GCC"
    CC "${CMAKE_C_COMPILER}" CXX "${CMAKE_CXX_COMPILER}" LINK -pthread
    SIGNATURES)
  find_program(LATIMER_CLANG NAMES clang-19 clang)
  find_program(LATIMER_CLANGXX NAMES clang++-19 clang++)
  if(LATIMER_CLANG AND LATIMER_CLANGXX)
    latimer_test_amalgamation("with Clang"
      CC "${LATIMER_CLANG}" CXX "${LATIMER_CLANGXX}" LINK -pthread)
  endif()
endif()
