# The structs and classes of the installed headers lie in memory as types.abi
# says, by abidw and abidiff of Debian's abigail-tools.
#   cmake -DPREFIX=<folder> -DBUILD=<build> -DCXX=<compiler> -P check_types.cmake
cmake_minimum_required(VERSION 3.25)

find_program(abidw abidw NO_CACHE)
find_program(abidiff abidiff NO_CACHE)
if(NOT abidw OR NOT abidiff)
  message("SKIPPED: abidiff is missing: apt-get install abigail-tools.")
  return()
endif()

# A function for each, because these programs report what functions take.
set(folder "${PREFIX}/include")
file(GLOB headers RELATIVE "${folder}" "${folder}/latimer/*.h")
set(text "")
set(functions "")
set(count 0)
foreach(header IN LISTS headers)
  string(APPEND text "#include \"${header}\"\n")
  file(READ "${folder}/${header}" content)
  string(REGEX REPLACE "[][;]" "," content "${content}")  # No lists of CMake.
  string(REGEX MATCHALL
    "\n(typedef struct|struct|class) [A-Za-z_]+( : [^{\n]*)? {" found "${content}")
  foreach(type IN LISTS found)
    string(REGEX MATCH "(typedef struct|struct|class) ([A-Za-z_]+)" type "${type}")
    set(kind "${CMAKE_MATCH_1}")
    set(name "${CMAKE_MATCH_2}")
    if(content MATCHES "template <[^\n]*>\n(struct|class) ${name} ")
      continue()
    elseif(NOT kind STREQUAL "typedef struct")
      set(name "latimer::${name}")
    endif()
    string(MAKE_C_IDENTIFIER "type_${name}" function)
    string(APPEND functions "void ${function}(const ${name}*) {}\n")
    math(EXPR count "${count} + 1")
  endforeach()
endforeach()
if(count LESS 30)
  message(FATAL_ERROR "Only ${count} types were found in ${folder}.")
endif()
set(work "${BUILD}/types")
file(MAKE_DIRECTORY "${work}")
file(WRITE "${work}/types.cc" "${text}extern \"C\" {\n${functions}}\n")
execute_process(COMMAND "${CXX}" -std=c++20 -g -shared -fPIC "-I${folder}"
  types.cc -o libtypes.so WORKING_DIRECTORY "${work}"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${abidw}" --no-show-locs --no-comp-dir-path
  --no-corpus-path --drop-private-types --headers-dir "${folder}/latimer"
  --out-file types.abi libtypes.so WORKING_DIRECTORY "${work}"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${abidiff}" --harmless
  "${CMAKE_CURRENT_LIST_DIR}/types.abi" "${work}/types.abi"
  RESULT_VARIABLE code OUTPUT_VARIABLE output)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${output}\nThe headers' structs are others than "
    "tests/consumers/types.abi says. One that begins with struct_bytes may grow "
    "at its end; all else needs a new minor version (docs/promises.md). Then "
    "copy ${work}/types.abi.")
endif()
