# Puts the call graphs of the object files that the file OBJECTS lists into the
# file TO.
cmake_minimum_required(VERSION 3.25)
file(STRINGS "${OBJECTS}" objects)
set(text "")
foreach(object IN LISTS objects)
  string(REGEX REPLACE "\\.[^.]*$" ".ci" file "${object}")
  file(READ "${file}" graph)
  string(APPEND text "${graph}")
endforeach()
file(WRITE "${TO}" "${text}")
