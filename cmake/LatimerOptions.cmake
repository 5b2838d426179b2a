# How C and C++ are compiled: our own with latimer_options, that of others with
# latimer_third_party_library().
include_guard()

add_library(latimer_options INTERFACE)
target_compile_features(latimer_options INTERFACE cxx_std_20)
target_compile_options(latimer_options INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wundef
  -Wimplicit-fallthrough -Wvla -Walloca
  # Clang 19 reports what libstdc++ 12 itself uses.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  -ffunction-sections -fdata-sections
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/="  # The same bytes in each folder.
  -ffp-contract=off)  # The same bits whatever instructions there are.
target_link_options(latimer_options INTERFACE
  -Wl,$<IF:$<BOOL:${APPLE}>,-dead_strip,--gc-sections>)
if(LATIMER_BARE)  # Small, and nothing that needs a C library.
  target_compile_definitions(latimer_options INTERFACE LATIMER_BARE)
  target_compile_options(latimer_options INTERFACE -O2 -fno-math-errno
    -fno-asynchronous-unwind-tables
    $<$<COMPILE_LANGUAGE:CXX>:-fno-threadsafe-statics> -Wno-psabi)
endif()
if(WIN32)  # Files of any size; the formats of C99.
  target_compile_definitions(latimer_options INTERFACE
    _FILE_OFFSET_BITS=64 __USE_MINGW_ANSI_STDIO=1)
  # GCC takes the formats of our own functions for those of Windows; builds for
  # other systems check them.
  target_compile_options(latimer_options INTERFACE
    -Wno-format -Wno-format-extra-args)
endif()
# GCC assumes that Windows aligns the stack for vectors of 32 and 64 bytes, which
# it does not (GCC's bug 54412). The assembler makes these accesses unaligned.
set(latimer_vector_flags "")
if(WIN32 AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(latimer_vector_flags -Wa,-muse-unaligned-vector-move)
endif()
target_compile_options(latimer_options INTERFACE ${latimer_vector_flags})
if(LATIMER_WERROR)
  target_compile_options(latimer_options INTERFACE -Werror)
endif()
if(LATIMER_SANITIZE)
  target_compile_options(latimer_options INTERFACE
    "-fsanitize=${LATIMER_SANITIZE}" -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(latimer_options INTERFACE
    "-fsanitize=${LATIMER_SANITIZE}")
endif()

# latimer_for_this_system(<variable> <folder>): of the sources in the variable,
# those that <folder>/<system>/ has for the system at hand take the place of the
# files of the same name in <folder>.
function(latimer_for_this_system variable folder)
  string(TOLOWER "${CMAKE_SYSTEM_NAME}" system)
  if(LATIMER_BARE)
    set(system "${LATIMER_BARE}")
  endif()
  file(GLOB own RELATIVE "${folder}/${system}" CONFIGURE_DEPENDS
    "${folder}/${system}/*.cc")
  foreach(file IN LISTS own)
    if("${folder}/${file}" IN_LIST ${variable})
      list(REMOVE_ITEM ${variable} "${folder}/${file}")
      list(APPEND ${variable} "${folder}/${system}/${file}")
    endif()
  endforeach()
  set(${variable} "${${variable}}" PARENT_SCOPE)
endfunction()

# latimer_third_party_library(<target> SOURCES ... [INCLUDES ...]
# [PRIVATE_INCLUDES ...] [DEFINITIONS ...]): a static library that is compiled
# the same way in every build type. Who links it gets INCLUDES and nothing else.
function(latimer_third_party_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" ""
    "SOURCES;INCLUDES;PRIVATE_INCLUDES;DEFINITIONS")
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_include_directories(${target} SYSTEM
    PRIVATE ${arg_PRIVATE_INCLUDES} PUBLIC ${arg_INCLUDES})
  target_compile_options(${target} PRIVATE
    -O2 -g0 -w -ffunction-sections -fdata-sections ${latimer_vector_flags})
  target_compile_definitions(${target} PRIVATE NDEBUG ${arg_DEFINITIONS})
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11 C_EXTENSIONS ON CXX_STANDARD 17 CXX_EXTENSIONS ON
    POSITION_INDEPENDENT_CODE ON EXPORT_COMPILE_COMMANDS OFF)
endfunction()

# latimer_write_call_graph(<library> [<object library>...]): for the test of the
# stack bound, each object file gets a file next to it, .ci instead of .o, with
# the frame size and the calls of each function. The property LATIMER_OBJECTS of
# the library is the path of a list of the object files. Does nothing if the
# compiler cannot, or with sanitizers, which change frames.
function(latimer_write_call_graph library)
  if(NOT LATIMER_TESTS OR LATIMER_SANITIZE OR LATIMER_BARE OR WIN32
      OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  set(objects "")
  foreach(target IN LISTS library ARGN)
    target_compile_options(${target} PRIVATE -fcallgraph-info=su)
    # ccache (4.7 at least) would keep the object file and lose the other.
    set_target_properties(${target} PROPERTIES
      C_COMPILER_LAUNCHER "" CXX_COMPILER_LAUNCHER "")
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
  endforeach()
  set(list "${PROJECT_BINARY_DIR}/generated/${library}_objects.txt")
  file(GENERATE OUTPUT "${list}" CONTENT "$<JOIN:${objects},\n>\n")
  set_target_properties(${library} PROPERTIES LATIMER_OBJECTS "${list}")
endfunction()
