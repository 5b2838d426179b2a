# Programs without an operating system, for the machine LATIMER_BARE of
# targets/bare. The model in them is LATIMER_EMBED, by default that of the
# board's EXAMPLE, else the demo's, which the host's converter makes. So it does
# the profile of that model, if no LATIMER_MODEL is given.
include_guard()
include(LatimerEmbed)
include(LatimerSbom)

if(NOT LATIMER_ARCH STREQUAL "wasm32")
  latimer_sbom_toolchain(libc.a)
  latimer_sbom_toolchain(libgcc.a)
endif()
if(NOT LATIMER_BOARD_EXAMPLE)
  set(LATIMER_BOARD_EXAMPLE
    en-de --max-source-tokens 64 --max-target-tokens 64)
endif()
set(latimer_bare_options ${LATIMER_BOARD_EXAMPLE})
list(POP_FRONT latimer_bare_options latimer_bare_example)
include(LatimerConvert)
if(NOT latimer_convert AND NOT (LATIMER_EMBED AND LATIMER_MODEL))
  message(FATAL_ERROR "latimer-convert is missing: run `cmake --workflow "
    "--preset demo` before, or give a model with -DLATIMER_EMBED=FILE and its "
    "profile with -DLATIMER_MODEL=NAME.")
endif()
if(LATIMER_EMBED AND NOT EXISTS "${LATIMER_EMBED}")
  message(FATAL_ERROR "LATIMER_EMBED: there is no file ${LATIMER_EMBED}.")
endif()
set(latimer_bare_model "${LATIMER_EMBED}")
set(files "${LATIMER_EMBED}")
set(words "${LATIMER_EMBED}")
if(NOT LATIMER_EMBED)
  set(latimer_bare_model "${PROJECT_BINARY_DIR}/${latimer_bare_example}.ltm")
  set(example "${PROJECT_SOURCE_DIR}/examples/${latimer_bare_example}")
  file(GLOB files CONFIGURE_DEPENDS
    "${example}/*.json" "${example}/*.spm" "${example}/*.safetensors")
  add_custom_command(OUTPUT "${latimer_bare_model}"
    COMMAND "${latimer_convert}" "${example}" -o "${latimer_bare_model}"
      --board "${latimer_board_argument}" ${latimer_bare_options}
    DEPENDS "${latimer_convert}" ${files}
    COMMENT "Converting examples/${latimer_bare_example}" VERBATIM)
  set(words "${example}" ${latimer_bare_options}
    -o "${PROJECT_BINARY_DIR}/generated/models/example.ltm")
endif()

# Configuring writes it, because whoever reads the runtime's sources needs it.
if(NOT LATIMER_MODEL)
  get_filename_component(name "${latimer_bare_model}" NAME_WE)
  string(MAKE_C_IDENTIFIER "${name}" name)
  set(latimer_bare_profile "${PROJECT_BINARY_DIR}/generated/models/${name}.h")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    "${latimer_convert}" ${files})
  set(old FALSE)
  foreach(file IN LISTS files ITEMS "${latimer_convert}")
    if("${file}" IS_NEWER_THAN "${latimer_bare_profile}")
      set(old TRUE)  # Or there is none.
    endif()
  endforeach()
  if(old)
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/generated/models")
    execute_process(
      COMMAND "${latimer_convert}" ${words} --profile "${latimer_bare_profile}"
        --board "${latimer_board_argument}" --quiet
      RESULT_VARIABLE result ERROR_VARIABLE error)
    if(NOT result EQUAL 0)
      file(REMOVE "${latimer_bare_profile}")
      message(FATAL_ERROR "${error}")
    endif()
  endif()
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
