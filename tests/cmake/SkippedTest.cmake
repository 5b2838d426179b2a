# latimer_add_skipped_test(<name> <why>): a test of what this machine lacks.
function(latimer_add_skipped_test name why)
  add_test(NAME "${name}" COMMAND "${CMAKE_COMMAND}" -E echo "SKIPPED: ${why}")
  set_tests_properties("${name}" PROPERTIES
    SKIP_REGULAR_EXPRESSION "^SKIPPED")
endfunction()
