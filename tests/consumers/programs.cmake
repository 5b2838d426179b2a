# The examples, version.c and a file that includes every public header, linked
# with `library`.
function(add_programs library)
  set(root "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../..")
  file(GLOB headers "${root}/runtime/include/latimer/*.h")
  list(TRANSFORM headers REPLACE ".*/" "#include <latimer/")
  list(JOIN headers ">\n" headers)
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/headers.cc" CONTENT
    "${headers}>
#if __has_include(\"base/check.h\") || __has_include(\"model_generated.h\")
#error \"There are other headers than the public ones on the include path.\"
#endif
")
  add_executable(cpp "${root}/examples/translate.cc"
    "${CMAKE_CURRENT_BINARY_DIR}/headers.cc")
  add_executable(c "${root}/examples/translate.c")
  add_executable(version "${root}/tests/consumers/version.c")
  foreach(program IN ITEMS cpp c version)
    target_link_libraries(${program} PRIVATE ${library})
  endforeach()
endfunction()
