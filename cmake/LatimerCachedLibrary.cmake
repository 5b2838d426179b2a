# latimer_cached_library(TARGET ...): a static library of other people's
# sources that is compiled once per machine and not once per build tree. The
# first build compiles it like any other target and puts a copy in the cache;
# later build trees import that copy.
#
#   KEY               names the version of the sources
#   SOURCES           absolute paths; a source's own flags go in its
#                     COMPILE_OPTIONS property, and with it into the key
#   INCLUDES          for the sources and for those who link TARGET
#   PRIVATE_INCLUDES  for the sources only
#   DEFINITIONS       for the sources only
#   CALL_GRAPH        keep frame sizes and calls beside the library: GCC's .ci
#                     files in one. Its path is the property LATIMER_CALL_GRAPH
#                     of TARGET, unset if the compiler writes none
include_guard()
include(LatimerDependency)  # LATIMER_STORE_DIR

# What the bytes of an object file depend on besides source and flags: the
# compiler, what it compiles for, and the user's flags.
separate_arguments(latimer_cxx_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
execute_process(
  COMMAND ${CMAKE_CXX_COMPILER} ${latimer_cxx_flags} -dumpmachine
  OUTPUT_VARIABLE LATIMER_TARGET_TRIPLE OUTPUT_STRIP_TRAILING_WHITESPACE)
string(JOIN " " LATIMER_COMPILER_KEY
  "${LATIMER_TARGET_TRIPLE}"
  "${CMAKE_C_COMPILER_ID}" "${CMAKE_C_COMPILER_VERSION}" "${CMAKE_C_FLAGS}"
  "${CMAKE_CXX_COMPILER_ID}" "${CMAKE_CXX_COMPILER_VERSION}"
  "${CMAKE_CXX_FLAGS}" "${CMAKE_SYSROOT}")

# latimer_write_call_graph(target): each object file of `target` gets a file
# next to it, .ci instead of .o, with the frame size and the calls of each
# function.
set(LATIMER_CAN_WRITE_CALL_GRAPH OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
    AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 10)
  set(LATIMER_CAN_WRITE_CALL_GRAPH ON)
endif()
function(latimer_write_call_graph target)
  target_compile_options(${target} PRIVATE -fcallgraph-info=su)
  # ccache (4.7 at least) would keep the object file and lose the other.
  set_target_properties(${target} PROPERTIES
    C_COMPILER_LAUNCHER "" CXX_COMPILER_LAUNCHER "")
endfunction()

# Sets `result` to the folder in the cache for `name` and this key.
function(latimer_cache_folder name key result)
  string(SHA256 hash "${LATIMER_COMPILER_KEY}\n${key}")
  string(SUBSTRING "${hash}" 0 16 hash)
  set(${result} "${LATIMER_STORE_DIR}/lib/${name}-${hash}" PARENT_SCOPE)
endfunction()

function(latimer_cached_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "CALL_GRAPH" "KEY"
    "SOURCES;INCLUDES;PRIVATE_INCLUDES;DEFINITIONS")
  # Compile these the same way in every build type.
  set(options -O2 -g0 -w -ffunction-sections -fdata-sections)
  set(definitions NDEBUG ${arg_DEFINITIONS})
  if(NOT LATIMER_CAN_WRITE_CALL_GRAPH)
    set(arg_CALL_GRAPH OFF)
  endif()
  set(key "${arg_KEY} ${arg_CALL_GRAPH}\n${options}\n${definitions}\n")
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(name "${source}" NAME)
    get_source_file_property(flags "${source}" COMPILE_OPTIONS)
    string(APPEND key "${name} ${flags}\n")
  endforeach()
  latimer_cache_folder(${target} "${key}" folder)

  if(LATIMER_CACHE_DIR AND EXISTS "${folder}/lib${target}.a")
    add_library(${target} STATIC IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES
      IMPORTED_LOCATION "${folder}/lib${target}.a")
  else()
    add_library(${target} STATIC ${arg_SOURCES})
    target_include_directories(${target} PRIVATE ${arg_PRIVATE_INCLUDES}
      ${arg_INCLUDES})
    target_compile_options(${target} PRIVATE ${options})
    target_compile_definitions(${target} PRIVATE ${definitions})
    set_target_properties(${target} PROPERTIES
      C_STANDARD 11 C_EXTENSIONS ON CXX_STANDARD 17 CXX_EXTENSIONS ON
      POSITION_INDEPENDENT_CODE ON EXPORT_COMPILE_COMMANDS OFF)
    set(objects "")
    if(arg_CALL_GRAPH)
      latimer_write_call_graph(${target})
      set(objects "${CMAKE_CURRENT_BINARY_DIR}/${target}.objects")
      file(GENERATE OUTPUT "${objects}"
        CONTENT "$<JOIN:$<TARGET_OBJECTS:${target}>,\n>\n")
    endif()
    add_custom_command(TARGET ${target} POST_BUILD
      COMMAND "${CMAKE_COMMAND}" "-DLIBRARY=$<TARGET_FILE:${target}>"
        "-DOBJECTS=${objects}" "-DTO=${folder}/lib${target}"
        -P "${PROJECT_SOURCE_DIR}/cmake/store_library.cmake" VERBATIM)
  endif()
  if(arg_CALL_GRAPH)
    set_target_properties(${target} PROPERTIES
      LATIMER_CALL_GRAPH "${folder}/lib${target}.ci")
  endif()
  target_include_directories(${target} SYSTEM INTERFACE ${arg_INCLUDES})
endfunction()
