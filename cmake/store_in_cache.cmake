# Puts the file FROM into the cache as TO, at once and complete, because others
# may be doing the same. With MUST, a cache that cannot be written is an error.
cmake_minimum_required(VERSION 3.25)
string(RANDOM LENGTH 8 random)
get_filename_component(folder "${TO}" DIRECTORY)
execute_process(COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
  ERROR_QUIET)
execute_process(COMMAND "${CMAKE_COMMAND}" -E copy "${FROM}" "${TO}.${random}"
  RESULT_VARIABLE result ERROR_QUIET)
if(result EQUAL 0)
  file(RENAME "${TO}.${random}" "${TO}" RESULT result)
endif()
if(MUST AND NOT EXISTS "${TO}")
  message(FATAL_ERROR "Cannot write ${TO}: set -DLATIMER_CACHE_DIR to a "
    "folder that can be written, or to OFF.")
endif()
