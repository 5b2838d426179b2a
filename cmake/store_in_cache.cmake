# Puts the file FROM into the cache as TO, at once and complete: others may be
# doing the same. A cache that cannot be written is no error.
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
