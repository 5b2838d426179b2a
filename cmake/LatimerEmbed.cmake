# latimer_embed_model(<target> <model.ltm>): makes the model file part of the
# target, as 64-byte aligned read-only data; the target's code reads its bytes
# through latimer/embedded_model.h. The target is linked again when the file
# changes. If the build itself makes the file, say so with add_dependencies().
include_guard()

function(latimer_embed_model target model)
  get_filename_component(file "${model}" ABSOLUTE)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}_model.cc")
  # As the assembler's string.
  string(REPLACE "\\" "\\\\" model "${file}")
  string(REPLACE "\"" "\\\"" model "${model}")
  string(MAKE_C_IDENTIFIER "latimer_model_of_${target}" symbol)
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embedded_model.cc.in"
    "${source}" @ONLY)
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${file}")
  target_sources(${target} PRIVATE "${source}")
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_include_directories(${target} PRIVATE
    "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../runtime/include")
endfunction()
