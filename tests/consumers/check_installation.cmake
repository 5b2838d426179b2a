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

# Expects one completion of the last of these words, in each shell that is here.
function(expect_completion words completion)
  list(GET words 0 program)
  list(LENGTH words count)
  list(JOIN words " " line)
  set(share "${PREFIX}/share")
  execute_process(COMMAND bash -c "PATH='${PREFIX}/bin':$PATH
    . '${share}/bash-completion/completions/${program}'
    COMP_WORDS=(${line}) COMP_CWORD=$((${count} - 1))
    $(complete -p ${program} | sed 's/.*-F \\([^ ]*\\).*/\\1/')
    echo \"\${COMPREPLY[@]}\"" OUTPUT_VARIABLE output)
  expect("completion in bash" "${output}" "^${completion}\n$")
  if(fish)
    execute_process(COMMAND "${fish}" -c "set PATH '${PREFIX}/bin' $PATH
      source '${share}/fish/vendor_completions.d/${program}.fish'
      complete -C '${line}'" OUTPUT_VARIABLE output)
    expect("completion in fish" "${output}" "^${completion}\n$")
  endif()
  if(zsh)  # Completes at a terminal only.
    execute_process(COMMAND "${zsh}" -n
      "${share}/zsh/vendor-completions/_${program}" RESULT_VARIABLE code)
    expect("syntax in zsh" "${code}" "^0$")
  endif()
endfunction()

find_program(fish fish NO_CACHE)
find_program(zsh zsh NO_CACHE)
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
  expect("manual" "${manual}" "Latimer ${VERSION}\"\n.*\n\\.B \\\\-\\\\-json\n")
  expect_completion("${program};inspect;--js" --json)
endforeach()
expect("manual" "${manual}" "\n\\.B \\\\-\\\\-map FILE[^ \n]*\ndescribes")
file(READ "${PREFIX}/share/man/man1/latimer.1" manual)
expect("manual" "${manual}" "\n\\.SH \"latimer doctor\"\n")
expect("manual" "${manual}"
  "\n\\.SS Language and task\n\\.TP\n\\.B \\\\-\\\\-source\\\\-lang CODE\n")
expect_completion("latimer;doc" doctor)
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
