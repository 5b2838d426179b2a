# latimer_add_runtime(), and how the code in runtime/ is compiled: without
# exceptions and RTTI, parts of it once per instruction set.
include_guard()
include(LatimerBoards)
include(LatimerEmbed)
include(LatimerOptions)
include(LatimerSchema)
include(LatimerXnnpack)

file(GLOB_RECURSE latimer_runtime_sources CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/runtime/*.cc" "${PROJECT_SOURCE_DIR}/api/*.cc")
# Packing is the converter's work.
list(FILTER latimer_runtime_sources EXCLUDE
  REGEX "/api/hosted/|/runtime/signature/|(_isa|/pack)\\.cc$")
set(others "bare|windows")  # What base/ has for other systems.
if(LATIMER_BARE)
  set(others "windows|check|clock|file_mapping|mapped_file|thread_pool")
elseif(WIN32)
  set(others "bare|clock|file_mapping")
endif()
list(FILTER latimer_runtime_sources EXCLUDE REGEX "/base/(${others})\\.cc$")
if(NOT LATIMER_BARE)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads REQUIRED)
endif()
set(latimer_ops "${PROJECT_SOURCE_DIR}/runtime/ops")
set(latimer_isa_sources_gemm_int8 "${latimer_ops}/gemm_int8_isa.cc"
  "${latimer_ops}/gemm_int_codes_isa.cc")
set(latimer_isa_sources_nibble "${latimer_ops}/nibble/dot_isa.cc")
file(GLOB latimer_isa_sources_vector CONFIGURE_DEPENDS "${latimer_ops}/*_isa.cc")
list(FILTER latimer_isa_sources_vector EXCLUDE REGEX "/gemm_int[^/]*$")

# What our own code includes beyond the public headers.
add_library(latimer_internals INTERFACE)
target_include_directories(latimer_internals INTERFACE
  "${PROJECT_SOURCE_DIR}/runtime" "${PROJECT_SOURCE_DIR}/api"
  "${PROJECT_SOURCE_DIR}/programs" "${LATIMER_BOARD_INCLUDE_DIR}"
  "${latimer_kernels_include_dir}")
target_link_libraries(latimer_internals INTERFACE
  latimer_schema latimer_xxhash)

# The public names of C, which get a prefix in a runtime with names of its own.
file(STRINGS "${PROJECT_SOURCE_DIR}/runtime/include/latimer/latimer.h" text
  REGEX "latimer_")
string(REGEX MATCHALL "latimer_[a-z0-9_]+" latimer_c_names
  "latimer_version;latimer_embedded_model;${text}")
list(REMOVE_DUPLICATES latimer_c_names)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/runtime/include/latimer/latimer.h")

# A project that adds Latimer calls latimer_add_runtime() in its own folders,
# which do not see these variables.
list(TRANSFORM LATIMER_ISAS PREPEND isa_flags_ OUTPUT_VARIABLE flag_names)
foreach(name IN ITEMS runtime_sources c_names isa_sources_gemm_int8
    isa_sources_nibble isa_sources_vector isas_of_gemm_int8 isas_of_nibble
    isas_of_vector ${flag_names})
  set_property(GLOBAL APPEND PROPERTY latimer_runtime_variables ${name})
  set_property(GLOBAL PROPERTY latimer_${name} "${latimer_${name}}")
endforeach()

add_library(latimer_small INTERFACE)
target_compile_options(latimer_small INTERFACE -Os)

# The programs are small.
set(latimer_program_flags -fno-exceptions -fno-rtti $<$<CONFIG:Release>:-Os>)

# Properties that all of our code in the runtime has.
function(latimer_runtime_properties target)
  target_include_directories(${target} PUBLIC
    "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../runtime/include")
  target_link_libraries(${target} PRIVATE latimer_internals latimer_options)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>
    "$<$<CONFIG:>:-O3;-DNDEBUG>")
  if(CMAKE_CXX_FLAGS MATCHES "-mno-implicit-float")
    # For the sake of exceptions; see targets/boards/riscv64_rvv256.cmake.
    target_compile_options(${target} PRIVATE -mimplicit-float)
  endif()
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

# Checks signatures; without libsodium its functions refuse.
function(latimer_signature_sources target)
  set(signature "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../runtime/signature")
  target_sources(${target} PRIVATE "${signature}/signature_c.cc")
  if(TARGET latimer_sodium)
    target_sources(${target}
      PRIVATE "${signature}/pem.cc" "${signature}/signature.cc")
    target_link_libraries(${target} PRIVATE latimer_sodium)
  else()
    target_sources(${target} PRIVATE "${signature}/left_out.cc")
  endif()
endfunction()

# What takes memory from the heap, for programs on an operating system.
function(latimer_hosted_sources target)
  set(hosted "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../api/hosted")
  target_sources(${target} PRIVATE
    "${hosted}/hosted_model.cc" "${hosted}/latimer_c_open.cc")
endfunction()

# The library of latimer_add_runtime(). With NAMES, every public name begins with
# that, in C++ and in C, for the library and for whoever links it. With
# CALL_GRAPH, the compiler writes what calls what; see latimer_write_call_graph().
# With KERNELS, it has the kernels of that runtime, whose profile must have the
# same features for them: compiling them again would take long.
function(latimer_runtime_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg
    "CALL_GRAPH" "PROFILE;BOARD;NAMES;KERNELS" "")
  get_property(variables GLOBAL PROPERTY latimer_runtime_variables)
  foreach(name IN LISTS variables)
    get_property(latimer_${name} GLOBAL PROPERTY latimer_${name})
  endforeach()
  get_filename_component(profile "${arg_PROFILE}" ABSOLUTE)
  set(generated "${PROJECT_BINARY_DIR}/generated/${target}")
  get_filename_component(name "${profile}" NAME_WE)
  file(CONFIGURE OUTPUT "${generated}/latimer/profile_config.h" CONTENT
    "// The profile of ${target}.
#pragma once
#include \"${profile}\"

#define LATIMER_PROFILE_NAME \"${name}\"
")
  # Without models that read speech, there is no code for sound. A profile that
  # the build makes is that of the demo.
  set(speech "")
  if(EXISTS "${profile}")
    file(STRINGS "${profile}" speech
      REGEX "/pc\\.h|speech_positions = [1-9]")
  endif()
  if(NOT speech)
    list(FILTER latimer_runtime_sources EXCLUDE
      REGEX "/(runtime/(audio|speech)/|(transcriber|speech_stream)\\.cc$)")
  endif()
  if(arg_BOARD)
    latimer_board_initializer(${arg_BOARD} "" initializer)
    latimer_write_board("${generated}" ${arg_BOARD} "${initializer}")
  endif()

  set(small "")
  if(LATIMER_BARE)  # Flash is small, and so should a download be.
    set(small ${latimer_runtime_sources})
    if(LATIMER_ARCH STREQUAL "wasm32")
      list(FILTER small INCLUDE REGEX "/model/")
      list(FILTER small EXCLUDE REGEX "/checksum\\.cc$")
    else()
      list(FILTER small EXCLUDE REGEX "/runtime/ops/")  # It takes the time.
    endif()
    list(REMOVE_ITEM latimer_runtime_sources ${small})
  endif()
  add_library(${target} STATIC ${latimer_runtime_sources})
  target_link_libraries(${target} PUBLIC $<TARGET_NAME_IF_EXISTS:Threads::Threads>
    $<$<PLATFORM_ID:Windows>:synchronization>
    PRIVATE latimer_xnnpack_kernels latimer_xnnpack_headers)
  set(parts ${target})
  if(small)  # CMake compiles files with options of their own one by one.
    set(part ${target}_small)
    add_library(${part} OBJECT ${small})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
    list(APPEND parts ${part})
  endif()
  foreach(role IN ITEMS vector nibble gemm_int8)
    foreach(isa IN LISTS latimer_isas_of_${role})
      if(arg_KERNELS)
        target_sources(${target} PRIVATE
          $<TARGET_OBJECTS:${arg_KERNELS}_${role}_${isa}>)
        continue()
      endif()
      set(part ${target}_${role}_${isa})
      set(sources ${latimer_isa_sources_${role}})
      set(own "")  # Some have files of their own.
      foreach(source IN LISTS sources)
        string(REPLACE _isa.cc "_${isa}_isa.cc" source "${source}")
        if(EXISTS "${source}")
          list(APPEND own "${source}")
        endif()
      endforeach()
      if(own)
        set(sources "${own}")
      endif()
      add_library(${part} OBJECT ${sources})
      target_compile_options(${part} PRIVATE ${latimer_isa_flags_${isa}} -O3)
      target_compile_definitions(${part} PRIVATE LATIMER_ISA=${isa})
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
      list(APPEND parts ${part})
    endforeach()
  endforeach()
  foreach(part IN LISTS parts)
    target_include_directories(${part} PUBLIC "${generated}")
    latimer_runtime_properties(${part})
    if(arg_NAMES)
      target_compile_definitions(${part} PUBLIC latimer=${arg_NAMES})
      list(TRANSFORM latimer_c_names REPLACE "^latimer(_.*)$"
        "latimer\\1=${arg_NAMES}\\1" OUTPUT_VARIABLE names)
      target_compile_definitions(${part} PUBLIC ${names})
    endif()
  endforeach()
  if(small)  # After the -O2 of latimer_options: the last one counts.
    target_link_libraries(${target}_small PRIVATE latimer_small)
  endif()
  # CMake refuses a target that links two of them: its code can have one.
  set_target_properties(${target} PROPERTIES
    INTERFACE_LATIMER_RUNTIME ${target}
    COMPATIBLE_INTERFACE_STRING LATIMER_RUNTIME
    LATIMER_PARTS "${parts}"
    LATIMER_SPEECH "${speech}")
  set_target_properties(${parts} PROPERTIES UNITY_BUILD ${LATIMER_UNITY})
  # A test has a clock of its own, and sound is also in a library of its own.
  set(apart ${latimer_runtime_sources})
  list(FILTER apart INCLUDE REGEX "/runtime/(base/clock\\.cc$|audio/)")
  set_source_files_properties(${apart}
    TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(arg_CALL_GRAPH)
    latimer_write_call_graph(${parts})
  endif()
endfunction()

# latimer_add_runtime(<target> PROFILE <header> [BOARD <name>]): the runtime with
# the capacities and features of that profile header, as a static library. The
# build fails if it needs more RAM than the BOARD has, by default the one that
# the toolchain file is for. Its symbols begin with the name and a digest of the
# profile, so that a program can link several; each of the program's own targets
# links one of them and writes latimer:: as always.
function(latimer_add_runtime target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROFILE;BOARD" "")
  get_filename_component(profile "${arg_PROFILE}" ABSOLUTE)
  if(arg_UNPARSED_ARGUMENTS OR NOT EXISTS "${profile}")
    message(FATAL_ERROR "latimer_add_runtime(${ARGV}): give PROFILE and the "
      "header that latimer-convert --profile wrote; there is no ${profile}.")
  endif()
  file(SHA256 "${profile}" digest)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${profile}")
  string(SUBSTRING "${digest}" 0 8 digest)
  get_filename_component(name "${profile}" NAME_WE)
  string(MAKE_C_IDENTIFIER "latimer_${name}_${digest}" names)
  set(board "")
  if(arg_BOARD)
    set(board BOARD "${arg_BOARD}")
  endif()
  latimer_runtime_library(${target} PROFILE "${profile}" ${board}
    NAMES ${names})
  latimer_signature_sources(${target})
  if(NOT LATIMER_BARE)
    latimer_hosted_sources(${target})
  endif()
endfunction()
