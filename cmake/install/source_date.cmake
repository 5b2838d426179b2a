# For CPack: the files of a package have the time SOURCE_DATE_EPOCH, if it is
# set (https://reproducible-builds.org/specs/source-date-epoch).
if("$ENV{SOURCE_DATE_EPOCH}" STREQUAL "")
  return()
endif()
file(GLOB_RECURSE paths LIST_DIRECTORIES true
  "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*")
foreach(path IN LISTS paths)
  execute_process(
    COMMAND touch --no-dereference "--date=@$ENV{SOURCE_DATE_EPOCH}" "${path}"
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
