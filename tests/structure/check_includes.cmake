# Enforces which directory may include which: arrows point down only.
#   cmake -DROOT=<source dir> -P check_includes.cmake
cmake_minimum_required(VERSION 3.25)

# Directory of the runtime, of api or of programs, and what files in it may
# include. `latimer` is runtime/include/latimer: the public API, and its folder
# internal/, which is not promised. Programs and the C API ask for more by
# internals.h only.
set(allowed_base base latimer)
set(allowed_model base latimer model text ops/nibble ops/xnnpack
  model_generated)
set(allowed_text base latimer text)
set(allowed_ops base latimer ops)
set(allowed_ops_nibble base latimer ops/nibble ops/xnnpack)
set(allowed_ops_xnnpack base latimer ops ops/xnnpack)
set(allowed_transformer base latimer model ops ops/nibble ops/xnnpack
  transformer)
set(allowed_search base latimer model ops/nibble transformer search
  phrases/phrases.h)
set(allowed_phrases base latimer model text search/prefix.h text_reader
  phrases)
set(allowed_speech base latimer model ops/nibble text transformer search speech)
set(allowed_plan base latimer model text transformer plan)
set(allowed_audio base latimer audio)
set(allowed_markup base latimer text markup)
set(allowed_signature latimer signature sodium)
set(allowed_include_latimer latimer)
set(allowed_include_latimer_internal latimer)
# The program checks and reports the CPU by the table that the runtime uses.
set(allowed_programs_cli latimer cache cli report os audio/wav_reader.h
  base/board.h base/cpu.h
  base/cpu_table.h internals markup/html_text.h named_options subtitles
  text/utf8.h)
set(allowed_programs_cli_darwin latimer cli)
set(allowed_programs_cli_windows latimer cli base/windows_api.h)
set(allowed_programs_report latimer report os base/board.h internals room_words)
set(allowed_programs_json json)
set(allowed_programs_cache cache)
set(allowed_programs_subtitles subtitles)
set(allowed_programs_os os)
set(allowed_programs_os_wasi os)
set(allowed_programs_os_windows os base/windows_api.h)
# The C API and what else lies on Translator.
set(allowed_api audio/wav_reader.h base latimer markup model text phrases
  internals latimer_c plan/exact_profile.h latimer_c_named named_options option_list room_words translator_state)
# Here alone the library allocates.
set(allowed_api_hosted latimer base/file_mapping.h)
# The files of this folder, such as translator.cc, put the parts together.
set(allowed_ audio base latimer model text ops ops/nibble ops/xnnpack transformer
  search phrases speech plan/exact_profile.h request text_reader translator_state)

get_filename_component(ROOT "${ROOT}" ABSOLUTE)
set(errors "")
set(checked 0)
set(files "")
foreach(kind IN ITEMS cc h)
  file(GLOB_RECURSE found RELATIVE "${ROOT}" "${ROOT}/runtime/*.${kind}"
    "${ROOT}/api/*.${kind}" "${ROOT}/programs/*.${kind}")
  list(APPEND files ${found})
endforeach()
foreach(path IN LISTS files)
  string(REGEX REPLACE "^runtime/" "" file "${path}")
  get_filename_component(dir "${file}" DIRECTORY)
  string(REPLACE "/" "_" key "${dir}")
  if(NOT DEFINED allowed_${key})
    list(APPEND errors "${path}: directory is not in the table")
    continue()
  endif()
  file(STRINGS "${ROOT}/${path}" includes
    REGEX "^ *# *include *[<\"]")
  foreach(include IN LISTS includes)
    math(EXPR checked "${checked} + 1")
    if(include MATCHES "[<\"](xnnpack|src/xnnpack|pthreadpool|fxdiv)"
        AND NOT dir STREQUAL "ops/xnnpack")
      list(APPEND errors "${path}: only ops/xnnpack knows XNNPACK")
    elseif(include MATCHES "sys/mman|<windows[.]h"
        AND NOT file MATCHES "^(base/(file_mapping[.]cc|windows_api[.]h)|programs/os/system[.]cc)$")
      list(APPEND errors "${path}: only base/file_mapping.cc, \
base/windows_api.h and programs/os/system.cc map")
    elseif(include MATCHES "[<\"]flatbuffers" AND NOT dir STREQUAL "model")
      list(APPEND errors "${path}: only model knows FlatBuffers")
    elseif(include MATCHES "\"([^\"]+)\"")
      set(header "${CMAKE_MATCH_1}")
      get_filename_component(target "${header}" DIRECTORY)
      if(target STREQUAL "")
        get_filename_component(target "${header}" NAME_WE)
      endif()
      if(target MATCHES "^xnnpack")
        continue()  # XNNPACK's own headers, checked above.
      endif()
      if(target STREQUAL "latimer/internal")
        set(target latimer)
      endif()
      if(NOT target IN_LIST allowed_${key}
          AND NOT header IN_LIST allowed_${key})
        list(APPEND errors "${path}: may not include ${header}")
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
