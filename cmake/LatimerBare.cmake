# Programs without an operating system, for the machine LATIMER_BARE of
# targets/bare. The model in them is LATIMER_EMBED, by default that of the
# board's EXAMPLE, else the demo's, which the host's converter makes.
include_guard()
include(LatimerEmbed)

if(NOT LATIMER_BOARD_EXAMPLE)
  set(LATIMER_BOARD_EXAMPLE
    en-de --max-source-tokens 64 --max-target-tokens 64)
endif()
set(latimer_bare_options ${LATIMER_BOARD_EXAMPLE})
list(POP_FRONT latimer_bare_options latimer_bare_example)
set(latimer_bare_model "${LATIMER_EMBED}")
if(NOT LATIMER_EMBED)
  include(LatimerConvert)
  if(NOT latimer_convert)
    message(FATAL_ERROR "latimer-convert is missing: run `cmake --workflow "
      "--preset demo` before, or give a model with -DLATIMER_EMBED=FILE.")
  endif()
  set(latimer_bare_model "${PROJECT_BINARY_DIR}/${latimer_bare_example}.ltm")
  set(example "${PROJECT_SOURCE_DIR}/examples/${latimer_bare_example}")
  file(GLOB files CONFIGURE_DEPENDS
    "${example}/*.json" "${example}/*.spm" "${example}/*.safetensors")
  add_custom_command(OUTPUT "${latimer_bare_model}"
    COMMAND "${latimer_convert}" "${example}" -o "${latimer_bare_model}"
      --board ${LATIMER_BOARD} ${latimer_bare_options}
    DEPENDS "${latimer_convert}" ${files}
    COMMENT "Converting examples/${latimer_bare_example}" VERBATIM)
endif()
add_custom_target(latimer_bare_model DEPENDS "${latimer_bare_model}")

# latimer_add_bare_program(<target> <sources>...): with Main() of
# targets/bare/machine.h. The build fails if it needs more flash or RAM than the
# board has.
function(latimer_add_bare_program target)
  set(bare "${PROJECT_SOURCE_DIR}/targets/bare")
  file(GLOB start CONFIGURE_DEPENDS "${bare}/*_${LATIMER_ARCH}.cc")
  add_executable(${target} ${ARGN} ${start} "${bare}/${LATIMER_BARE}.cc")
  target_include_directories(${target} PRIVATE "${bare}")
  target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti)
  target_link_libraries(${target} PRIVATE latimer_runtime latimer_options m)
  if(LATIMER_BARE STREQUAL "wasm")  # An overflow of the stack traps.
    math(EXPR bytes "${LATIMER_BOARD_RAM_KIB} << 10")
    target_link_options(${target} PRIVATE -nostartfiles -Wl,--no-entry
      -Wl,--stack-first -Wl,-z,stack-size=65536 -Wl,--max-memory=${bytes}
      "-Wl,-Map=$<TARGET_FILE:${target}>.map")
    latimer_embed_model(${target} "${latimer_bare_model}")
    add_dependencies(${target} latimer_bare_model)
    return()
  endif()
  target_link_options(${target} PRIVATE -nostartfiles -static
    -Wl,--build-id=none "-L${bare}" "-T${LATIMER_BARE}.ld")
  file(GLOB scripts CONFIGURE_DEPENDS "${bare}/*.ld")
  set_target_properties(${target} PROPERTIES LINK_DEPENDS "${scripts}"
    LINKER_LANGUAGE C)  # Nothing of C++'s library.
  latimer_embed_model(${target} "${latimer_bare_model}")
  add_dependencies(${target} latimer_bare_model)
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND "${CMAKE_COMMAND}" "-DNM=${CMAKE_NM}"
      "-DPROGRAM=$<TARGET_FILE:${target}>" -DBOARD=${LATIMER_BOARD}
      -DFLASH_MIB=${LATIMER_BOARD_FLASH_MIB} -DRAM_KIB=${LATIMER_BOARD_RAM_KIB}
      -P "${bare}/check_memory.cmake")
endfunction()
