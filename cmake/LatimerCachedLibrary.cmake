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
#   DEFINITIONS, OPTIONS  for the sources only
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

# Sets `result` to the folder in the cache for `name` and this key.
function(latimer_cache_folder name key result)
  string(SHA256 hash "${LATIMER_COMPILER_KEY}\n${key}")
  string(SUBSTRING "${hash}" 0 16 hash)
  set(${result} "${LATIMER_STORE_DIR}/lib/${name}-${hash}" PARENT_SCOPE)
endfunction()

function(latimer_cached_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "KEY"
    "SOURCES;INCLUDES;PRIVATE_INCLUDES;DEFINITIONS;OPTIONS")
  # Whatever the build type, compile these the same way.
  set(options -O2 -g0 -w -ffunction-sections -fdata-sections ${arg_OPTIONS})
  set(definitions NDEBUG ${arg_DEFINITIONS})

  set(key "${arg_KEY}\n${options}\n${definitions}\n")
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(name "${source}" NAME)
    get_source_file_property(flags "${source}" COMPILE_OPTIONS)
    string(APPEND key "${name} ${flags}\n")
  endforeach()
  latimer_cache_folder(${target} "${key}" folder)
  set(file "${folder}/lib${target}.a")

  if(LATIMER_CACHE_DIR AND EXISTS "${file}")
    add_library(${target} STATIC IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${file}")
  else()
    add_library(${target} STATIC ${arg_SOURCES})
    target_include_directories(${target} PRIVATE ${arg_PRIVATE_INCLUDES}
      ${arg_INCLUDES})
    target_compile_options(${target} PRIVATE ${options})
    target_compile_definitions(${target} PRIVATE ${definitions})
    set_target_properties(${target} PROPERTIES
      C_STANDARD 11 C_EXTENSIONS ON CXX_STANDARD 17 CXX_EXTENSIONS ON
      POSITION_INDEPENDENT_CODE ON EXPORT_COMPILE_COMMANDS OFF)
    if(LATIMER_CACHE_DIR)
      add_custom_command(TARGET ${target} POST_BUILD
        COMMAND "${CMAKE_COMMAND}" "-DFROM=$<TARGET_FILE:${target}>"
          "-DTO=${file}" -P "${PROJECT_SOURCE_DIR}/cmake/store_in_cache.cmake"
        VERBATIM)
    endif()
  endif()
  target_include_directories(${target} SYSTEM INTERFACE ${arg_INCLUDES})
endfunction()
