# latimer_add_page_test(<name> <arguments of page_test.py after CHROMIUM>...)
function(latimer_add_page_test name)
  find_program(LATIMER_chromium chromium NO_CMAKE_FIND_ROOT_PATH)
  if(LATIMER_chromium)
    add_test(NAME "${name}" COMMAND python3
      "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/page_test.py" "${LATIMER_chromium}"
      ${ARGN})
  else()
    add_test(NAME "${name}" COMMAND "${CMAKE_COMMAND}" -E echo
      "SKIPPED: chromium is missing: apt-get install chromium.")
    set_tests_properties("${name}" PROPERTIES
      SKIP_REGULAR_EXPRESSION "^SKIPPED")
  endif()
endfunction()
