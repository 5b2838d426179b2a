# Writes the runtime of a build as one header and one source file, and XNNPACK's
# kernels, if the build has them, as another:
#
#   cmake -DBUILD=build/cortex_m55 -DOUT=amalgamation -P packaging/amalgamate.cmake
#
# With -DSIGNATURES=ON, of a build with -DLATIMER_SIGNATURES=ON, signatures can be
# checked, too, and libsodium's Ed25519 is another file.
#
# What is compiled, and how, is read from the build's compile_commands.json: the
# libraries latimer_runtime, for one instruction set, and latimer_hosted.
# Headers that lie in folders of those commands are put in place of their first
# #include; others, those of the compiler, are included.
cmake_minimum_required(VERSION 3.25)
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}" DIRECTORY)
foreach(name IN ITEMS BUILD OUT)
  get_filename_component(${name} "${${name}}" ABSOLUTE
    BASE_DIR "${CMAKE_BINARY_DIR}")
endforeach()
if(NOT EXISTS "${BUILD}/compile_commands.json")
  message(FATAL_ERROR "${BUILD} has no compile_commands.json; configure it "
    "first: cmake --preset BOARD.")
endif()
if(NOT EXISTS "${BUILD}/generated/schema/model_generated.h")
  message(FATAL_ERROR "${BUILD} lacks the header of model files; write it "
    "first: cmake --build ${BUILD} --target latimer_schema_header.")
endif()

# ---- What the build compiles --------------------------------------------------

file(READ "${BUILD}/compile_commands.json" commands)
string(JSON count LENGTH "${commands}")
math(EXPR last "${count} - 1")
set(sources "")      # Of C++, for any instruction set.
set(isa_sources "")  # "ISA|SOURCE".
set(kernels "")      # Of C.
set(sodium "")       # Of C.
set(isas "")
set(also "")
if(SIGNATURES)
  set(also "signature|sodium|")
endif()
foreach(i RANGE ${last})
  string(JSON output GET "${commands}" ${i} output)
  if(NOT output MATCHES
      "/latimer_(${also}runtime|hosted|xnnpack_kernels|runtime_(small|(vector|nibble|gemm_int8)_[a-z0-9_]+))\\.dir/")
    continue()
  endif()
  string(JSON files GET "${commands}" ${i} file)
  if(files MATCHES "/Unity/unity_[0-9]+_cxx\\.cxx$")  # Compiles several.
    file(STRINGS "${files}" files REGEX "^#include")
    list(TRANSFORM files REPLACE "^#include \"(.*)\"$" "\\1")
  endif()
  string(JSON command GET "${commands}" ${i} command)
  separate_arguments(command UNIX_COMMAND "${command}")
  if(command MATCHES "-DLATIMER_ISA=([a-z0-9_]+)")
    list(APPEND isas ${CMAKE_MATCH_1})
    list(TRANSFORM files PREPEND "${CMAKE_MATCH_1}|")
    list(APPEND isa_sources ${files})
  elseif(output MATCHES "/latimer_sodium\\.dir/")
    list(APPEND sodium "${files}")
    set(sodium_command "${command}")
  elseif(files MATCHES "\\.c$")
    list(APPEND kernels "${files}")
    set(kernel_command "${command}")
  else()
    list(APPEND sources ${files})
    if(output MATCHES "/latimer_runtime\\.dir/")
      set(source_command "${command}")  # It has the others' folders, too.
    elseif(output MATCHES "/latimer_signature\\.dir/")
      set(signature_command "${command}")  # But for libsodium's.
    endif()
  endif()
endforeach()
if(SIGNATURES AND NOT sodium)
  message(FATAL_ERROR "${BUILD} has no libsodium: configure it with "
    "-DLATIMER_SIGNATURES=ON.")
endif()
list(SORT sources)  # However a build divides them.
list(REMOVE_DUPLICATES sources)
list(REMOVE_DUPLICATES isas)
list(REMOVE_ITEM isas scalar)
list(LENGTH isas count)
if(count GREATER 1)
  list(JOIN isas ", " isas)
  message(FATAL_ERROR "${BUILD} has kernels for ${isas}; an amalgamation has "
    "those of one: configure with -DLATIMER_ISAS=, and with a profile of one "
    "tile.")
endif()

# Of the toolchain: what says for which machine a compiler compiles. Folders
# among it are the compiler's.
function(read_toolchain language)
  file(STRINGS "${BUILD}/CMakeCache.txt" entry
    REGEX "^CMAKE_${language}_FLAGS:[A-Z]+=")
  string(REGEX MATCH "^[^=]*=(.*)" entry "${entry}")
  separate_arguments(entry UNIX_COMMAND "${CMAKE_MATCH_1}")
  set(toolchain_${language} "${entry}" PARENT_SCOPE)
endfunction()
read_toolchain(C)
read_toolchain(CXX)

# What a command includes, defines, and says of the language.
function(read_command command toolchain folders definitions flags)
  list(JOIN command ";" text)
  list(JOIN toolchain ";" own)
  string(REPLACE ";${own};" ";" command "${text}")
  set(next "")
  foreach(argument IN LISTS command)
    if(next)
      list(APPEND found "${argument}")
      set(next "")
    elseif(argument STREQUAL "-isystem")
      set(next TRUE)
    elseif(argument MATCHES "^-I(.+)")
      list(APPEND found "${CMAKE_MATCH_1}")
    elseif(argument MATCHES "^-D(LATIMER|XNN|SODIUM|HAVE_TI_MODE)")
      string(REGEX REPLACE "^-D([^=]+)=?(.*)" "#define \\1 \\2\n" line "${argument}")
      string(APPEND lines "${line}")
    elseif(argument MATCHES "^-(m|std=|f|Wno-psabi|w$)" AND NOT argument MATCHES
        "^-f(callgraph|visibility|PIC|file-prefix-map)")
      list(APPEND kept "${argument}")
    endif()
  endforeach()
  list(JOIN kept " " kept)
  string(PREPEND lines "#ifndef NDEBUG\n#define NDEBUG\n#endif\n")
  set(${folders} "${found}" PARENT_SCOPE)
  set(${definitions} "${lines}" PARENT_SCOPE)
  set(${flags} "${kept}" PARENT_SCOPE)
endfunction()

# ---- Files in place of their #include -----------------------------------------

# Appends a file to `written`, with headers of `folders` in place of their first
# #include. One that may be compiled or not, `in_condition`, does not count as
# the first. What a file has may be anything, but is never a list.
function(write_text path in_condition)
  list(APPEND within "${path}")
  file(READ "${path}" text)
  set(guard "")
  if(text MATCHES "#pragma once")
    string(SHA1 guard "${path}")
    set(guard "LATIMER_${guard}")
    string(REPLACE "#pragma once" "" text "${text}")
    string(PREPEND text "#ifndef ${guard}\n#define ${guard}\n")
    string(APPEND text "\n#endif\n")
  endif()
  set(depth 0)
  if(guard OR text MATCHES "^[^#]*#ifndef [A-Za-z0-9_]+\n#define [A-Za-z0-9_]+\n")
    set(depth -1)  # The whole of a header is in a condition.
  endif()
  get_filename_component(own "${path}" DIRECTORY)
  while(text MATCHES "(^|\n)([ \t]*#[ \t]*include[ \t]*([<\"])([^>\"\n]+)[>\"][^\n]*)")
    set(line "${CMAKE_MATCH_2}")
    set(name "${CMAKE_MATCH_4}")
    set(places "${folders}")
    if(CMAKE_MATCH_3 STREQUAL "\"")
      list(PREPEND places "${own}")
    endif()
    string(FIND "${text}" "${line}" at)
    string(LENGTH "${line}" length)
    math(EXPR after "${at} + ${length}")
    string(SUBSTRING "${text}" 0 ${at} before)
    string(SUBSTRING "${text}" ${after} -1 text)
    file(APPEND "${written}" "${before}")
    foreach(kind IN ITEMS if endif)
      string(REGEX MATCHALL "(^|\n)[ \t]*#[ \t]*${kind}" ${kind} "${before}")
      list(LENGTH ${kind} ${kind})
    endforeach()
    math(EXPR depth "${depth} + ${if} - ${endif}")
    set(is_in_condition ${in_condition})
    if(depth GREATER 0)
      set(is_in_condition TRUE)
    endif()
    write_include("${name}" "${line}" ${is_in_condition})
  endwhile()
  file(APPEND "${written}" "${text}")
endfunction()

# Of write_text: the file that `line` includes; `places` are where it may be, and
# the files of `within` include it.
function(write_include name line in_condition)
  foreach(folder IN LISTS places)
    get_filename_component(path "${name}" ABSOLUTE BASE_DIR "${folder}")
    if(NOT EXISTS "${path}")
      continue()
    endif()
    get_filename_component(path "${path}" REALPATH)
    get_property(seen GLOBAL PROPERTY seen_in_${written})
    if(NOT path IN_LIST seen AND NOT path IN_LIST within)
      if(NOT in_condition)
        set_property(GLOBAL APPEND PROPERTY seen_in_${written} "${path}")
      endif()
      write_text("${path}" ${in_condition})
    endif()
    return()
  endforeach()
  file(APPEND "${written}" "${line}")
endfunction()

# ---- The files ----------------------------------------------------------------

file(MAKE_DIRECTORY "${OUT}")
file(READ "${root}/runtime/include/latimer/version.h" text)
string(REGEX MATCH "LATIMER_VERSION \"([^\"]+)\"" found "${text}")
set(version "${CMAKE_MATCH_1}")
set(about
  "Latimer ${version}, in one file; written by packaging/amalgamate.cmake.")

if(SIGNATURES)
  read_command("${signature_command}" "${toolchain_CXX}" sodium_folders unused
    unused)
endif()
read_command("${source_command}" "${toolchain_CXX}" folders definitions
  cxx_flags)
if(SIGNATURES)
  list(APPEND folders ${sodium_folders})
endif()
list(JOIN toolchain_CXX " " toolchain_CXX)

# What latimer.h has is not written into latimer.cc, which includes it.
set(public latimer.h)
if(definitions MATCHES "LATIMER_BARE")
  list(APPEND public machine.h)
endif()
set(written "${OUT}/latimer.h")
file(WRITE "${written}" "/* ${about} */\n")
foreach(name IN LISTS public)
  set(places "${root}/runtime/include/latimer")
  write_include(${name} "" FALSE)
endforeach()
# A profile of one model says how large its workspace is.
file(STRINGS "${BUILD}/generated/latimer_runtime/latimer/profile_config.h"
  profile REGEX "^#include")
string(REGEX REPLACE "^#include \"(.*)\"$" "\\1" profile "${profile}")
file(STRINGS "${profile}" workspace REGEX "^// Its workspace has [0-9]+ bytes")
if(workspace)
  string(REGEX MATCH "[0-9]+" workspace "${workspace}")
  file(APPEND "${written}" "
/* latimer_workspace_bytes() of this build is at most this: for static memory. */
#define LATIMER_WORKSPACE_BYTES LATIMER_WORKSPACE_BYTES_FOR(${workspace})
")
endif()
get_property(seen GLOBAL PROPERTY "seen_in_${written}")

set(written "${OUT}/latimer.cc")
set_property(GLOBAL PROPERTY "seen_in_${written}" "${seen}")
file(WRITE "${written}" "// ${about}
//
//   c++ ${toolchain_CXX} ${cxx_flags} -O2 -c latimer.cc
//
// Licences: LICENSES.txt.
${definitions}#include \"latimer.h\"
")
foreach(source IN LISTS sources)
  write_text("${source}" FALSE)
endforeach()
foreach(pair IN LISTS isa_sources)
  string(REGEX MATCH "^([^|]+)\\|(.*)" pair "${pair}")
  file(APPEND "${written}"
    "\n#undef LATIMER_ISA\n#define LATIMER_ISA ${CMAKE_MATCH_1}\n")
  write_text("${CMAKE_MATCH_2}" FALSE)
endforeach()

# Writes a file of C, of sources that are compiled by that command.
function(write_c name command sources)
  read_command("${command}" "${toolchain_C}" folders definitions flags)
  list(JOIN toolchain_C " " toolchain)
  set(written "${OUT}/${name}")
  file(WRITE "${written}" "// ${about}
//
//   cc ${toolchain} ${flags} -O2 -c ${name}
//
// Licences: LICENSES.txt.
${definitions}")
  foreach(source IN LISTS sources)
    write_text("${source}" FALSE)
  endforeach()
endfunction()
if(kernels)
  write_c(latimer_kernels.c "${kernel_command}" "${kernels}")
endif()
if(sodium)
  write_c(latimer_sodium.c "${sodium_command}" "${sodium}")
endif()

set(written "${OUT}/LICENSES.txt")
file(READ "${root}/LICENSE" text)
file(WRITE "${written}" "Latimer\n\n${text}")
set(licenses "${BUILD}/latimer_third_party")
set(folders "${licenses}/runtime/*")
if(sodium)
  list(APPEND folders "${licenses}/signatures/*")
endif()
file(GLOB_RECURSE files RELATIVE "${licenses}" ${folders})
foreach(file IN LISTS files)
  get_filename_component(name "${file}" DIRECTORY)
  get_filename_component(name "${name}" NAME)
  file(READ "${licenses}/${file}" text)
  file(APPEND "${written}"
    "\n----------------------------------------\n${name}\n\n${text}")
endforeach()
set(bill latimer_runtime.cdx.json)
if(sodium)
  set(bill latimer_signed_runtime.cdx.json)
endif()
file(COPY_FILE "${BUILD}/${bill}" "${OUT}/latimer.cdx.json")
message(STATUS "${OUT}: latimer.cc, and its command in the first lines")
