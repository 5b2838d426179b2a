# Android can load a library: it refers only to what bionic has, exports only
# the native methods, and its segments may be mapped with pages of 16 KB.
#   cmake -DNM=nm -DREADELF=readelf -DLIBRARY=liblatimer_jni.so
#     -DKNOWN=bionic_symbols.txt -P check_library.cmake
cmake_minimum_required(VERSION 3.25)
set(errors "")

file(STRINGS "${KNOWN}" known REGEX "^[a-zA-Z_]")
execute_process(COMMAND "${NM}" --dynamic --format=posix "${LIBRARY}"
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" symbols "${symbols}")
set(exported 0)
set(needed 0)
foreach(line IN LISTS symbols)
  if(line MATCHES "^([^@ ]+)[^ ]* [Uw]")
    math(EXPR needed "${needed} + 1")
    if(NOT CMAKE_MATCH_1 IN_LIST known)
      string(APPEND errors "It refers to ${CMAKE_MATCH_1}, which is not in "
        "${KNOWN}.\n")
    endif()
  elseif(line MATCHES "^Java_dev_latimer_Native_[A-Za-z]+ T")
    math(EXPR exported "${exported} + 1")
  elseif(line MATCHES "^([^ ]+)")
    string(APPEND errors "It exports ${CMAKE_MATCH_1}.\n")
  endif()
endforeach()

execute_process(COMMAND "${READELF}" --wide --program-headers --dynamic
    "${LIBRARY}" OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "LOAD [^\n]* 0x[0-9a-f]+\n" loads "${headers}")
foreach(load IN LISTS loads)
  string(REGEX MATCH " (0x[0-9a-f]+)\n" alignment "${load}")
  math(EXPR rest "${CMAKE_MATCH_1} % 16384")
  if(NOT rest EQUAL 0)
    string(APPEND errors "A segment is aligned to ${CMAKE_MATCH_1} bytes, not "
      "to 16384.\n")
  endif()
endforeach()
string(REGEX MATCHALL "NEEDED[^\n]*" libraries "${headers}")
foreach(library IN LISTS libraries)
  if(NOT library MATCHES "lib(c|m|dl)\\.so|ld-linux")
    string(APPEND errors "It needs ${library}.\n")
  endif()
endforeach()

if(needed EQUAL 0 OR exported EQUAL 0 OR loads STREQUAL "")
  string(APPEND errors "${NM} or ${READELF} shows nothing of ${LIBRARY}.\n")
endif()
if(errors)
  message(FATAL_ERROR "${LIBRARY}:\n${errors}")
endif()
message(STATUS "${needed} symbols needed, ${exported} exported")
