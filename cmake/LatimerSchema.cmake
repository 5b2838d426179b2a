# latimer_schema: the C++ header of schema/model.fbs, as "model_generated.h".
# The schema compiler is made from the pinned FlatBuffers. It runs where the
# build does, even if the rest is cross-compiled.
include_guard()
include(LatimerDependencies)

set(LATIMER_SCHEMA_COMPILER "" CACHE FILEPATH
  "The schema_compiler of another build folder, to save its compilation")

if(CMAKE_CROSSCOMPILING)
  find_program(LATIMER_HOST_CXX NAMES c++ g++ clang++ REQUIRED)
else()
  set(LATIMER_HOST_CXX "${CMAKE_CXX_COMPILER}")
endif()
set(sources "${CMAKE_CURRENT_LIST_DIR}/schema_compiler.cc")
foreach(name IN ITEMS code_generators idl_gen_cpp idl_gen_text idl_parser
    reflection util)
  list(APPEND sources "${FLATBUFFERS_SOURCE_DIR}/src/${name}.cpp")
endforeach()
set(compiler "${LATIMER_SCHEMA_COMPILER}")
if(NOT compiler)
  set(compiler "${PROJECT_BINARY_DIR}/schema_compiler")
  # Unoptimized: it runs for milliseconds on one small schema. Whatever reads
  # models waits for it, so its files are compiled at once.
  set(objects "")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    set(object "${PROJECT_BINARY_DIR}/CMakeFiles/schema_compiler_${name}.o")
    list(APPEND objects "${object}")
    add_custom_command(OUTPUT "${object}"
      COMMAND "${LATIMER_HOST_CXX}" -std=c++17 -O0 -w
        "-I${FLATBUFFERS_SOURCE_DIR}/include" "-I${FLATBUFFERS_SOURCE_DIR}/src"
        "-I${FLATBUFFERS_SOURCE_DIR}" -c "${source}" -o "${object}"
      DEPENDS "${source}"
      COMMENT "Compiling ${name} of the schema compiler" VERBATIM)
  endforeach()
  add_custom_command(OUTPUT "${compiler}"
    COMMAND "${LATIMER_HOST_CXX}" ${objects} -o "${compiler}"
    DEPENDS ${objects}
    COMMENT "Building the schema compiler for this machine" VERBATIM)
endif()

set(schema "${PROJECT_SOURCE_DIR}/schema/model.fbs")
set(generated "${PROJECT_BINARY_DIR}/generated/schema")
add_custom_command(OUTPUT "${generated}/model_generated.h"
  COMMAND "${compiler}" "${schema}" "${generated}"
  DEPENDS "${schema}" "${compiler}"
  COMMENT "Generating model_generated.h" VERBATIM)
add_custom_target(latimer_schema_header
  DEPENDS "${generated}/model_generated.h")
add_library(latimer_schema INTERFACE)
target_link_libraries(latimer_schema INTERFACE latimer_flatbuffers)
add_dependencies(latimer_schema latimer_schema_header)
target_include_directories(latimer_schema SYSTEM INTERFACE "${generated}")
