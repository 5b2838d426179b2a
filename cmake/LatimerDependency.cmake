# latimer_dependency(NAME ...): brings the pinned source of one dependency and
# sets <NAME>_SOURCE_DIR in the caller. Sources, in this order:
#
#   1. the folder that FETCHCONTENT_SOURCE_DIR_<NAME> names;
#   2. the cache (LATIMER_CACHE_DIR);
#   3. Debian's source package, through apt with a private configuration: the
#      system's own sources, lists and packages stay as they are;
#   4. the pinned upstream archive.
#
# Wherever it comes from, the files we use are checked against TREE_SHA256.
#
#   VERSION          of the upstream, part of the folder name in the cache
#   PATHS            the folders and files we use, relative to the source root
#   TREE_SHA256      SHA-256 of the list "<sha256>  <relative path>\n" of all
#                    files under PATHS, sorted by path. Independent of how the
#                    source was packed; cmake/tree_digest.cmake prints it.
#   DEBIAN_PACKAGE   name of the source package
#   DEBIAN_SHA256    of its .orig tarball; selects the package's version
#   URL              upstream archive
#   SPDX, PART       for the bill of materials; see LatimerSbom.cmake
#   OPTIONAL         where none of the sources has it, <NAME>_SOURCE_DIR is
#                    empty and <NAME>_WHY says what was tried; otherwise that
#                    is an error, as a wrong FETCHCONTENT_SOURCE_DIR_<NAME> is
include_guard()
include(LatimerSbom)

# Where sources and built libraries live when there is no cache.
set(LATIMER_STORE_DIR "${CMAKE_BINARY_DIR}/_store")
if(LATIMER_CACHE_DIR)
  set(LATIMER_STORE_DIR "${LATIMER_CACHE_DIR}")
endif()

set(latimer_debian_suites trixie sid)
set_property(GLOBAL PROPERTY LATIMER_APT_STATE "")

# Sets `result` to the digest of `paths` under `root`, or to "" when one of
# them is missing.
function(latimer_tree_digest root paths result)
  set(files "")
  foreach(path IN LISTS paths)
    if(IS_DIRECTORY "${root}/${path}")
      file(GLOB_RECURSE found LIST_DIRECTORIES false
        RELATIVE "${root}" "${root}/${path}/*")
      list(APPEND files ${found})
    elseif(EXISTS "${root}/${path}")
      list(APPEND files "${path}")
    else()
      set(${result} "" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  list(SORT files)
  set(lines "")
  foreach(file IN LISTS files)
    file(SHA256 "${root}/${file}" sha256)
    string(APPEND lines "${sha256}  ${file}\n")
  endforeach()
  string(SHA256 digest "${lines}")
  set(${result} "${digest}" PARENT_SCOPE)
endfunction()

# Finds the system's Debian mirror in sources.list and *.sources; sets `uri`
# and `keyring` ("" when apt's default keys serve).
function(latimer_debian_mirror uri keyring)
  set(releases
    "(bullseye|bookworm|trixie|forky|sid|stable|testing|unstable|oldstable)")
  set(found_uri "")
  set(found_keyring "")
  file(GLOB deb822_files /etc/apt/sources.list.d/*.sources)
  foreach(file IN LISTS deb822_files)
    file(READ "${file}" text)
    string(REPLACE ";" " " text "${text}")
    string(REGEX REPLACE "\n[ \t]*\n" ";" stanzas "\n${text}")
    foreach(stanza IN LISTS stanzas)
      if(found_uri STREQUAL ""
          AND NOT "${stanza}" MATCHES "Enabled:[ \t]*no"
          AND "\n${stanza}" MATCHES "\nURIs:[ \t]*([^ \t\n]+)")
        set(candidate "${CMAKE_MATCH_1}")
        if("\n${stanza}\n" MATCHES "\nSuites:[^\n]*[ \t]${releases}[ \t\n]"
            AND "\n${stanza}\n" MATCHES "\nComponents:[^\n]*[ \t]main[ \t\n]")
          set(found_uri "${candidate}")
          if("\n${stanza}" MATCHES "\nSigned-By:[ \t]*(/[^ \t\n]+)")
            set(found_keyring "${CMAKE_MATCH_1}")
          endif()
        endif()
      endif()
    endforeach()
  endforeach()
  if(found_uri STREQUAL "")
    file(GLOB list_files /etc/apt/sources.list.d/*.list)
    foreach(file IN ITEMS /etc/apt/sources.list ${list_files})
      if(NOT EXISTS "${file}")
        continue()
      endif()
      file(STRINGS "${file}" lines REGEX "^[ \t]*deb[ \t]")
      foreach(line IN LISTS lines)
        set(options "")
        if(line MATCHES "\\[([^]]*)\\]")
          set(options "${CMAKE_MATCH_1}")
          string(REGEX REPLACE "\\[[^]]*\\]" "" line "${line}")
        endif()
        if(found_uri STREQUAL "" AND "${line} " MATCHES
            "^[ \t]*deb[ \t]+([^ \t]+)[ \t]+${releases}[ \t](.*[ \t])?main[ \t]")
          set(found_uri "${CMAKE_MATCH_1}")
          if(options MATCHES "signed-by=(/[^ \t,]+)")
            set(found_keyring "${CMAKE_MATCH_1}")
          endif()
        endif()
      endforeach()
    endforeach()
  endif()
  if(found_keyring STREQUAL "")
    foreach(suffix IN ITEMS pgp gpg)
      if(EXISTS "/usr/share/keyrings/debian-archive-keyring.${suffix}")
        set(found_keyring
          "/usr/share/keyrings/debian-archive-keyring.${suffix}")
        break()
      endif()
    endforeach()
  endif()
  set(${uri} "${found_uri}" PARENT_SCOPE)
  set(${keyring} "${found_keyring}" PARENT_SCOPE)
endfunction()

# Prepares a private apt once per configure; sets `why` to "" or the reason
# that there is none. The command prefix is in the property LATIMER_APT.
function(latimer_prepare_apt why)
  get_property(state GLOBAL PROPERTY LATIMER_APT_STATE)
  if(NOT state STREQUAL "")
    string(REGEX REPLACE "^(ready|no: )" "" state "${state}")
    set(${why} "${state}" PARENT_SCOPE)
    return()
  endif()
  set(reason "")
  find_program(LATIMER_APT_GET apt-get)
  find_program(LATIMER_APT_CACHE apt-cache)
  mark_as_advanced(LATIMER_APT_GET LATIMER_APT_CACHE)
  if(NOT LATIMER_APT_GET OR NOT LATIMER_APT_CACHE)
    set(reason "this system has no apt")
  else()
    latimer_debian_mirror(uri keyring)
    if(uri STREQUAL "")
      set(reason "no Debian mirror in /etc/apt")
    endif()
  endif()
  if(reason STREQUAL "")
    set(dir "${CMAKE_BINARY_DIR}/_apt")
    file(REMOVE_RECURSE "${dir}")
    cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY
      [[${CMAKE_SOURCE_DIR}]] CALL file REMOVE_RECURSE [[${dir}]])")
    file(MAKE_DIRECTORY "${dir}/sources" "${dir}/lists/partial"
      "${dir}/cache/archives/partial")
    set(text "")
    foreach(suite IN LISTS latimer_debian_suites)
      string(APPEND text "Types: deb-src\nURIs: ${uri}\nSuites: ${suite}\n"
        "Components: main\n")
      if(NOT keyring STREQUAL "")
        string(APPEND text "Signed-By: ${keyring}\n")
      endif()
      string(APPEND text "\n")
    endforeach()
    file(WRITE "${dir}/sources/debian.sources" "${text}")
    set(options -qq -o Dir::Etc::sourcelist=/dev/null
      -o "Dir::Etc::sourceparts=${dir}/sources"
      -o "Dir::State::lists=${dir}/lists" -o "Dir::Cache=${dir}/cache"
      -o APT::Sandbox::User=root -o Acquire::Languages=none
      -o Acquire::Retries=2)
    set_property(GLOBAL PROPERTY LATIMER_APT_OPTIONS "${options}")
    message(STATUS "Reading Debian's list of source packages")
    execute_process(COMMAND "${LATIMER_APT_GET}" update ${options}
      RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE output)
    file(GLOB lists "${dir}/lists/*Sources*")
    if(lists STREQUAL "")
      string(REGEX MATCH "[^\n]*" output "${output}")
      set(reason "apt-get update failed: ${output}")
    endif()
  endif()
  if(reason STREQUAL "")
    set_property(GLOBAL PROPERTY LATIMER_APT_STATE "ready")
  else()
    set_property(GLOBAL PROPERTY LATIMER_APT_STATE "no: ${reason}")
  endif()
  set(${why} "${reason}" PARENT_SCOPE)
endfunction()

# Downloads the .orig tarball with this SHA-256 into `dir`; sets `archive`, or
# `why` when that fails.
function(latimer_debian_download package sha256 dir archive why)
  set(${archive} "" PARENT_SCOPE)
  latimer_prepare_apt(reason)
  if(NOT reason STREQUAL "")
    set(${why} "${reason}" PARENT_SCOPE)
    return()
  endif()
  get_property(options GLOBAL PROPERTY LATIMER_APT_OPTIONS)
  execute_process(
    COMMAND "${LATIMER_APT_CACHE}" ${options} showsrc "${package}"
    OUTPUT_VARIABLE records ERROR_QUIET)
  string(REPLACE ";" "," records "${records}")
  string(REPLACE "\n\n" ";" records "${records}")
  set(version "")
  foreach(record IN LISTS records)
    if(record MATCHES "${sha256} [0-9]+ [^\n]*\\.orig\\.tar"
        AND "\n${record}" MATCHES "\nVersion: ([^\n]+)")
      set(version "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  if(version STREQUAL "")
    list(JOIN latimer_debian_suites " or " suites)
    set(${why} "Debian ${suites} has no ${package} with the pinned tarball"
      PARENT_SCOPE)
    return()
  endif()
  file(MAKE_DIRECTORY "${dir}")
  execute_process(
    COMMAND "${LATIMER_APT_GET}" ${options} source --tar-only
      "${package}=${version}"
    WORKING_DIRECTORY "${dir}" RESULT_VARIABLE result
    OUTPUT_QUIET ERROR_VARIABLE output)
  file(GLOB tarballs "${dir}/*.orig.tar.*")
  foreach(tarball IN LISTS tarballs)
    file(SHA256 "${tarball}" actual)
    if(actual STREQUAL sha256)
      set(${archive} "${tarball}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  string(REGEX MATCH "[^\n]*" output "${output}")
  set(${why} "apt-get source ${package}=${version} failed: ${output}"
    PARENT_SCOPE)
endfunction()

# Unpacks `archive` and moves the wanted paths to `destination`, which then
# has the pinned digest; otherwise sets `why`.
function(latimer_unpack archive paths digest work destination why)
  file(REMOVE_RECURSE "${work}/unpacked" "${work}/tree")
  file(MAKE_DIRECTORY "${work}/unpacked" "${work}/tree")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E tar xf "${archive}"
    WORKING_DIRECTORY "${work}/unpacked"
    RESULT_VARIABLE result ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    set(${why} "cannot unpack ${archive}: ${output}" PARENT_SCOPE)
    return()
  endif()
  set(root "${work}/unpacked")
  file(GLOB entries "${root}/*")
  list(LENGTH entries count)
  if(count EQUAL 1)
    set(root "${entries}")
  endif()
  foreach(path IN LISTS paths)
    get_filename_component(parent "${path}" DIRECTORY)
    if(EXISTS "${root}/${path}")
      file(MAKE_DIRECTORY "${work}/tree/${parent}")
      file(RENAME "${root}/${path}" "${work}/tree/${path}")
    endif()
  endforeach()
  file(REMOVE_RECURSE "${work}/unpacked")
  latimer_tree_digest("${work}/tree" "${paths}" actual)
  if(NOT actual STREQUAL digest)
    set(${why} "its files have the digest '${actual}', not '${digest}'"
      PARENT_SCOPE)
    return()
  endif()
  file(WRITE "${work}/tree/.verified" "${digest}\n")
  file(REMOVE_RECURSE "${destination}")
  file(RENAME "${work}/tree" "${destination}")
  set(${why} "" PARENT_SCOPE)
endfunction()

# Brings the source of latimer_dependency(), whose arg_* it reads; sets
# `folder`, or `why` where it cannot be had.
function(latimer_bring_source name folder why)
  set(${why} "" PARENT_SCOPE)
  set(user_dir "${FETCHCONTENT_SOURCE_DIR_${name}}")
  if(user_dir)
    latimer_tree_digest("${user_dir}" "${arg_PATHS}" actual)
    if(NOT actual STREQUAL arg_TREE_SHA256)
      message(FATAL_ERROR
        "FETCHCONTENT_SOURCE_DIR_${name}=${user_dir} is not the pinned "
        "${name} ${arg_VERSION} (digest '${actual}' of ${arg_PATHS}, expected "
        "'${arg_TREE_SHA256}'): name a folder with that version, unmodified, "
        "or leave the option out.")
    endif()
    set(${folder} "${user_dir}" PARENT_SCOPE)
    return()
  endif()

  string(TOLOWER "${name}" lower)
  string(SUBSTRING "${arg_TREE_SHA256}" 0 12 short)
  set(dir "${LATIMER_STORE_DIR}/src/${lower}-${arg_VERSION}-${short}")
  set(${folder} "${dir}" PARENT_SCOPE)
  if(EXISTS "${dir}/.verified")
    return()
  endif()
  file(MAKE_DIRECTORY "${LATIMER_STORE_DIR}/src")
  file(LOCK "${LATIMER_STORE_DIR}/src/${lower}.lock" GUARD FUNCTION
    TIMEOUT 900)
  if(EXISTS "${dir}/.verified")  # Another configure brought it meanwhile.
    return()
  endif()

  string(RANDOM LENGTH 8 random)
  set(work "${dir}.${random}")
  set(tried "")
  message(STATUS "Fetching ${name} ${arg_VERSION}")
  if(arg_DEBIAN_PACKAGE)
    latimer_debian_download("${arg_DEBIAN_PACKAGE}" "${arg_DEBIAN_SHA256}"
      "${work}/download" archive reason)
    if(archive)
      latimer_unpack("${archive}" "${arg_PATHS}" "${arg_TREE_SHA256}"
        "${work}" "${dir}" reason)
    endif()
    if(NOT reason STREQUAL "")
      string(APPEND tried
        "\n  Debian source package ${arg_DEBIAN_PACKAGE}: ${reason}")
    endif()
  endif()
  if(NOT EXISTS "${dir}/.verified")
    set(archive "${work}/download/upstream.tar.gz")
    file(DOWNLOAD "${arg_URL}" "${archive}" STATUS status TLS_VERIFY ON
      INACTIVITY_TIMEOUT 30)
    list(POP_FRONT status code)
    if(code EQUAL 0)
      latimer_unpack("${archive}" "${arg_PATHS}" "${arg_TREE_SHA256}"
        "${work}" "${dir}" reason)
    else()
      set(reason "${status}")
    endif()
    if(NOT reason STREQUAL "")
      string(APPEND tried "\n  ${arg_URL}: ${reason}")
    endif()
  endif()
  file(REMOVE_RECURSE "${work}")
  if(NOT EXISTS "${dir}/.verified")
    string(CONCAT text
      "Cannot get ${name} ${arg_VERSION}; tried:${tried}\n"
      "Unpack that version somewhere and configure again with "
      "-DFETCHCONTENT_SOURCE_DIR_${name}=<folder>.")
    set(${folder} "" PARENT_SCOPE)
    set(${why} "${text}" PARENT_SCOPE)
  endif()
endfunction()

function(latimer_dependency name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIONAL"
    "VERSION;TREE_SHA256;DEBIAN_PACKAGE;DEBIAN_SHA256;URL;SPDX;PART"
    "PATHS")
  latimer_bring_source(${name} folder why)
  if(NOT why STREQUAL "" AND NOT arg_OPTIONAL)
    message(FATAL_ERROR "${why}")
  endif()
  if(why STREQUAL "")
    latimer_sbom_component(${name} VERSION "${arg_VERSION}"
      SPDX "${arg_SPDX}" PART "${arg_PART}" URL "${arg_URL}"
      TREE_SHA256 "${arg_TREE_SHA256}" DEBIAN_SHA256 "${arg_DEBIAN_SHA256}")
  endif()
  set(${name}_SOURCE_DIR "${folder}" PARENT_SCOPE)
  set(${name}_WHY "${why}" PARENT_SCOPE)
endfunction()
