include("${CMAKE_CURRENT_LIST_DIR}/../cmake/SkippedTest.cmake")

# latimer_add_page_test(<name> <arguments of page_test.py after CHROMIUM>...)
function(latimer_add_page_test name)
  find_program(LATIMER_chromium chromium NO_CMAKE_FIND_ROOT_PATH)
  if(LATIMER_chromium)
    add_test(NAME "${name}" COMMAND python3
      "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/page_test.py" "${LATIMER_chromium}"
      ${ARGN})
  else()
    latimer_add_skipped_test("${name}"
      "chromium is missing: apt-get install chromium.")
  endif()
endfunction()
