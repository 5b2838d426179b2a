# Enforces which directory may include which: arrows point down only.
#   cmake -DROOT=<source dir> -P check_includes.cmake
cmake_minimum_required(VERSION 3.25)

# Directory of the runtime, and what files in it may include. `latimer` is the
# public API, runtime/include/latimer.
set(allowed_base base latimer)
set(allowed_model base latimer model text ops/nibble ops/xnnpack
  model_generated)
set(allowed_text base latimer text)
set(allowed_ops base latimer ops)
set(allowed_ops_nibble base latimer ops/nibble ops/xnnpack)
set(allowed_ops_xnnpack base latimer ops ops/xnnpack)
set(allowed_transformer base latimer model ops ops/nibble ops/xnnpack
  transformer)
set(allowed_search base latimer model ops/nibble transformer search)
set(allowed_markup base latimer text markup)
set(allowed_signature latimer signature sodium)
set(allowed_hosted latimer base/file_mapping.h)
set(allowed_include_latimer latimer)
# The program checks and reports the CPU by the table that the runtime uses.
set(allowed_cli latimer cli report os base/cpu.h base/cpu_table.h text/utf8.h)
set(allowed_cli_darwin latimer cli)
set(allowed_cli_windows latimer cli base/windows_api.h)
set(allowed_report latimer report os)
set(allowed_os os)
set(allowed_os_wasi os)
set(allowed_os_windows os base/windows_api.h)
# The files of this folder, such as translator.cc and latimer_c.cc, put the
# parts together.
set(allowed_ base latimer model text ops ops/nibble ops/xnnpack transformer
  search markup latimer_c option_list phrase_text request source_phrases
  text_reader translator_state)

get_filename_component(ROOT "${ROOT}" ABSOLUTE)
set(errors "")
set(checked 0)
file(GLOB_RECURSE files RELATIVE "${ROOT}/runtime"
  "${ROOT}/runtime/*.cc" "${ROOT}/runtime/*.h")
foreach(file IN LISTS files)
  get_filename_component(dir "${file}" DIRECTORY)
  string(REPLACE "/" "_" key "${dir}")
  if(NOT DEFINED allowed_${key})
    list(APPEND errors "runtime/${file}: directory is not in the table")
    continue()
  endif()
  file(STRINGS "${ROOT}/runtime/${file}" includes
    REGEX "^ *# *include *[<\"]")
  foreach(include IN LISTS includes)
    math(EXPR checked "${checked} + 1")
    if(include MATCHES "[<\"](xnnpack|src/xnnpack|pthreadpool|fxdiv)"
        AND NOT dir STREQUAL "ops/xnnpack")
      list(APPEND errors "runtime/${file}: only ops/xnnpack knows XNNPACK")
    elseif(include MATCHES "sys/mman|<windows[.]h"
        AND NOT file MATCHES "^(base/(file_mapping[.]cc|windows_api[.]h)|os/system[.]cc)$")
      list(APPEND errors "runtime/${file}: only base/file_mapping.cc, \
base/windows_api.h and os/system.cc map")
    elseif(include MATCHES "[<\"]flatbuffers" AND NOT dir STREQUAL "model")
      list(APPEND errors "runtime/${file}: only model knows FlatBuffers")
    elseif(include MATCHES "\"([^\"]+)\"")
      set(path "${CMAKE_MATCH_1}")
      get_filename_component(target "${path}" DIRECTORY)
      if(target STREQUAL "")
        get_filename_component(target "${path}" NAME_WE)
      endif()
      if(target MATCHES "^xnnpack")
        continue()  # XNNPACK's own headers, checked above.
      endif()
      if(NOT target IN_LIST allowed_${key}
          AND NOT path IN_LIST allowed_${key})
        list(APPEND errors "runtime/${file}: may not include ${path}")
      endif()
    endif()
  endforeach()
endforeach()

if(checked LESS 100)
  message(FATAL_ERROR "only ${checked} includes found: wrong directory?")
endif()
if(errors)
  string(REPLACE ";" "\n  " errors "${errors}")
  message(FATAL_ERROR "include table:\n  ${errors}")
endif()
message(STATUS "${checked} includes point down")
