# latimer_add_program(<target> RUNTIME <library> [MODEL <model.ltm>]): the
# `latimer` program; with a MODEL, the model is part of the program.
include_guard()
include(LatimerEmbed)
include(LatimerOptions)
include(LatimerXnnpack)  # LATIMER_ARCH

if(LATIMER_STATIC)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -static LATIMER_CAN_LINK_STATICALLY)
  if(NOT LATIMER_CAN_LINK_STATICALLY)
    unset(LATIMER_CAN_LINK_STATICALLY CACHE)
    message(FATAL_ERROR "${CMAKE_CXX_COMPILER} has no static C and C++ "
      "libraries: install them (*-staticdev in Yocto), or set "
      "-DLATIMER_STATIC=OFF to link to those of the board.")
  endif()
  if(LATIMER_ZIG)
    latimer_sbom_zig(musl/COPYRIGHT)
  else()
    latimer_sbom_toolchain(libstdc++.a)
    latimer_sbom_toolchain(libgcc.a)
    if(WIN32)
      latimer_sbom_toolchain(libmingw32.a)
    else()
      latimer_sbom_toolchain(libc.a)
    endif()
  endif()
endif()

# The check for missing CPU features must run without them: these flags select
# the architecture's minimum and override those before.
if(LATIMER_ARCH STREQUAL "x86_64")
  set(latimer_guard_flags -march=x86-64 -mtune=generic -mgeneral-regs-only
    -mno-popcnt -mno-lzcnt -mno-movbe -mno-bmi -mno-bmi2 -mno-adx)
elseif(LATIMER_ZIG)
  set(latimer_guard_flags -mcpu=generic)
elseif(LATIMER_ARCH STREQUAL "aarch64")
  set(latimer_guard_flags -march=armv8-a -mcpu=generic)
elseif(LATIMER_ARCH STREQUAL "armv7")
  set(latimer_guard_flags -march=armv7-a -mcpu=generic-armv7-a -mfpu=vfpv3-d16)
else()
  set(latimer_guard_flags -march=rv64gc)
  if(LATIMER_KNOWS_RVV256)
    list(APPEND latimer_guard_flags -mrvv-vector-bits=scalable)
  endif()
endif()

function(latimer_add_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RUNTIME;MODEL" "")
  set(cli "${PROJECT_SOURCE_DIR}/programs/cli")
  file(GLOB sources CONFIGURE_DEPENDS "${cli}/*.cc")
  if(arg_MODEL)
    list(REMOVE_ITEM sources "${cli}/image_file.cc")
  else()
    list(REMOVE_ITEM sources "${cli}/image_linked.cc")
  endif()
  get_target_property(speech ${arg_RUNTIME} LATIMER_SPEECH)
  if(NOT speech)
    list(REMOVE_ITEM sources "${cli}/transcribe.cc")
  endif()
  if(APPLE)  # No Mac with ARM lacks what Zig lets the compiler use.
    list(REMOVE_ITEM sources "${cli}/cpu_guard.cc")
  endif()
  latimer_for_this_system(sources "${cli}")
  add_executable(${target} ${sources})
  file(READ "${cli}/attention_page.html" page)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/attention_page.h.in"
    "${PROJECT_BINARY_DIR}/generated/cli/attention_page.h" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    "${cli}/attention_page.html")
  target_include_directories(${target}
    PRIVATE "${PROJECT_BINARY_DIR}/generated")
  target_link_libraries(${target}
    PRIVATE latimer_report ${arg_RUNTIME} latimer_signature latimer_internals
    latimer_options)
  # Only the loop that measures the memory is hot.
  target_compile_options(${target} PRIVATE ${latimer_program_flags})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LATIMER_UNITY})
  set_source_files_properties("${cli}/cpu_guard.cc" PROPERTIES COMPILE_OPTIONS
    "${latimer_guard_flags};-fno-lto;-fno-sanitize=all")
  set_source_files_properties("${cli}/bandwidth.cc" PROPERTIES COMPILE_OPTIONS
    $<$<CONFIG:Release>:-O3>)
  if(LATIMER_STATIC)
    target_link_options(${target} PRIVATE -static)
  endif()
  # Of Release builds only the stripped program is copied.
  if(LATIMER_BOARD OR WIN32 OR LATIMER_ZIG)
    target_link_options(${target} PRIVATE $<$<CONFIG:Release>:-s>)
    if(LATIMER_ARCH STREQUAL "aarch64" AND NOT APPLE)
      # The default of 64 KB pads the file; boards have pages of 4 or 16.
      target_link_options(${target} PRIVATE -Wl,-z,max-page-size=16384)
    endif()
  endif()
  if(arg_MODEL)
    latimer_embed_model(${target} "${arg_MODEL}")
  endif()
endfunction()
