# latimer_embed_model(<target> <model.ltm>): makes the model file part of the
# target, as 64-byte aligned read-only data; the target's code reads its bytes
# through latimer/embedded_model.h. The target is linked again when the file
# changes. If the build itself makes the file, say so with add_dependencies().
include_guard()

set(LATIMER_EMBED_DIR "${CMAKE_CURRENT_LIST_DIR}")

function(latimer_embed_model target model)
  get_filename_component(file "${model}" ABSOLUTE)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}_model.cc")
  # As the assembler's string.
  string(REPLACE "\\" "\\\\" model "${file}")
  string(REPLACE "\"" "\\\"" model "${model}")
  configure_file("${LATIMER_EMBED_DIR}/embedded_model.cc.in" "${source}" @ONLY)
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${file}")
  target_sources(${target} PRIVATE "${source}")
  target_include_directories(${target} PRIVATE
    "${LATIMER_EMBED_DIR}/../runtime/include")
endfunction()
