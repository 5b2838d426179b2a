# Checks the installation in PREFIX: files, versions, soname, and that the
# shared library exports what exports.txt says.
#   cmake -DPREFIX=<folder> -DBUILD=<build> -DVERSION=<version> -DNM=nm
#     -DREADELF=readelf -P check_installation.cmake
cmake_minimum_required(VERSION 3.25)

function(expect what actual pattern)
  if(NOT actual MATCHES "${pattern}")
    message(SEND_ERROR "${what}: ${actual}\ndoes not match ${pattern}")
  endif()
endfunction()

string(REGEX MATCH "^[0-9]+\\.[0-9]+" abi "${VERSION}")
file(GLOB_RECURSE files RELATIVE "${PREFIX}" "${PREFIX}/*")
foreach(file IN ITEMS bin/latimer bin/latimer-convert [^/]*/liblatimer.a
    [^/]*/liblatimer.so [^/]*/liblatimer.so.${abi}
    [^/]*/liblatimer.so.${VERSION} include/latimer/latimer.h
    include/latimer/profile_config.h share/man/man1/latimer.1
    share/man/man1/latimer-convert.1 share/doc/latimer/copyright
    share/doc/latimer/licenses/xnnpack/LICENSE
    share/latimer/source/targets/boards/raspberry_pi_4.cmake
    share/latimer/source/targets/models/any.h)
  expect("installed" ";${files};" ";[^;]*${file};")
endforeach()

file(GLOB_RECURSE library "${PREFIX}/*/liblatimer.so")
execute_process(COMMAND "${READELF}" -d "${library}" OUTPUT_VARIABLE dynamic)
expect("soname" "${dynamic}" "soname: \\[liblatimer.so.${abi}\\]")
file(GLOB_RECURSE pc "${PREFIX}/*/latimer.pc")
file(READ "${pc}" pc)
expect("latimer.pc" "${pc}" "\nVersion: ${VERSION}\n")
foreach(program IN ITEMS latimer latimer-convert)
  execute_process(COMMAND "${PREFIX}/bin/${program}" --version
    OUTPUT_VARIABLE output)
  expect("--version" "${output}" "^${program} ${VERSION}\n$")
  file(READ "${PREFIX}/share/man/man1/${program}.1" manual)
  expect("manual" "${manual}" "Latimer ${VERSION}\"\n.*\\\\-\\\\-json")
  # What completes "<program> inspect --js" in bash.
  execute_process(COMMAND bash -c "PATH='${PREFIX}/bin':$PATH
    . '${PREFIX}/share/bash-completion/completions/${program}'
    COMP_WORDS=(${program} inspect --js) COMP_CWORD=2
    $(complete -p ${program} | sed 's/.*-F \\([^ ]*\\).*/\\1/')
    echo \"\${COMPREPLY[@]}\"" OUTPUT_VARIABLE output)
  expect("completion" "${output}" "^--json\n$")
endforeach()
file(READ "${BUILD}/CPackConfig.cmake" package)
expect("package" "${package}" "CPACK_PACKAGE_VERSION \"${VERSION}\"")

execute_process(COMMAND "${NM}" -DC --defined-only "${library}"
  OUTPUT_VARIABLE symbols)
string(REGEX REPLACE "(^|\n)[0-9a-f]+ " "\\1" symbols "${symbols}")
string(STRIP "${symbols}" symbols)
string(REPLACE ";" "," symbols "${symbols}")
string(REPLACE "\n" ";" symbols "${symbols}")
list(REMOVE_DUPLICATES symbols)
list(SORT symbols)
list(JOIN symbols "\n" symbols)
file(WRITE "${BUILD}/exports.txt" "${symbols}\n")
file(READ "${CMAKE_CURRENT_LIST_DIR}/exports.txt" committed)
if(NOT committed STREQUAL "${symbols}\n")
  message(SEND_ERROR "The shared library exports something else than "
    "tests/consumers/exports.txt says: compare it with ${BUILD}/exports.txt. "
    "What is gone or has another type needs a new minor version "
    "(docs/promises.md); what is new does not. Then copy the file.")
endif()
