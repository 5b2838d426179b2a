# latimer_dependency(NAME ...): sets <NAME>_SOURCE_DIR to the pinned sources of
# one dependency. They come from the first of these that has them:
#
#   1. the folder FETCHCONTENT_SOURCE_DIR_<NAME>
#   2. the cache (LATIMER_CACHE_DIR)
#   3. Debian's source package, on the mirrors that this system's apt uses
#   4. the upstream archive
#
# Wherever they come from, the files that we use must have the digest SHA256.
#
#   VERSION   of the upstream; a part of the folder's name in the cache
#   SPDX PART DEPENDS  for the bill of materials; see LatimerSbom.cmake
#   PATHS     the folders and files that we use, relative to the source root;
#             LICENSE* and License* are the texts of its licence
#   SHA256    of the list "<sha256>  <relative path>\n" of all files in PATHS,
#             sorted by path; the message about a wrong one has the right one
#   DEBIAN    path of the source package's .orig archive below pool/main
#   URL       of the upstream archive
#   OPTIONAL  if no source has it, <NAME>_SOURCE_DIR is empty and <NAME>_WHY
#             says what was tried; without OPTIONAL that is an error
include_guard()
include(LatimerSbom)

# Sets `result` to the digest of `paths` under `root`, or to "" if one of them
# is missing.
function(latimer_tree_digest root paths result)
  set(files "")
  set(${result} "" PARENT_SCOPE)
  foreach(path IN LISTS paths)
    if(IS_DIRECTORY "${root}/${path}")
      file(GLOB_RECURSE found LIST_DIRECTORIES false
        RELATIVE "${root}" "${root}/${path}/*")
      list(APPEND files ${found})
    elseif(EXISTS "${root}/${path}")
      list(APPEND files "${path}")
    else()
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

# Puts `paths` of the archive at `url` into `to`, complete and verified, or
# sets `why`.
function(latimer_download url paths digest to why)
  string(RANDOM LENGTH 8 random)
  set(work "${to}.${random}")
  file(DOWNLOAD "${url}" "${work}/archive" STATUS status INACTIVITY_TIMEOUT 30)
  list(POP_FRONT status code)
  if(code EQUAL 0)
    file(ARCHIVE_EXTRACT INPUT "${work}/archive" DESTINATION "${work}/unpacked")
    file(GLOB root "${work}/unpacked/*")
    list(LENGTH root count)
    if(NOT count EQUAL 1)  # Usually all is in one folder.
      set(root "${work}/unpacked")
    endif()
    latimer_tree_digest("${root}" "${paths}" actual)
    set(status "its files have the digest '${actual}', not '${digest}'")
    if(actual STREQUAL digest)
      set(status "")
      foreach(path IN LISTS paths)
        get_filename_component(parent "${path}" DIRECTORY)
        file(COPY "${root}/${path}" DESTINATION "${work}/tree/${parent}")
      endforeach()
      file(REMOVE_RECURSE "${to}")
      file(RENAME "${work}/tree" "${to}")
    endif()
  endif()
  file(REMOVE_RECURSE "${work}")
  set(${why} "${status}" PARENT_SCOPE)
endfunction()

# Sets `folder` to the sources of latimer_dependency(), whose arg_* it reads, or
# `why` if they cannot be had.
function(latimer_find_sources name folder why)
  set(${why} "" PARENT_SCOPE)
  set(own "${FETCHCONTENT_SOURCE_DIR_${name}}")
  if(own)
    latimer_tree_digest("${own}" "${arg_PATHS}" actual)
    if(NOT actual STREQUAL arg_SHA256)
      message(FATAL_ERROR "FETCHCONTENT_SOURCE_DIR_${name}=${own} is not the "
        "pinned ${name} ${arg_VERSION} (digest '${actual}' of ${arg_PATHS}, "
        "expected '${arg_SHA256}'): name a folder with that version, "
        "unmodified, or leave the option out.")
    endif()
    set(${folder} "${own}" PARENT_SCOPE)
    return()
  endif()

  string(TOLOWER "${name}" lower)
  string(SUBSTRING "${arg_SHA256}" 0 12 short)
  set(sources "${CMAKE_BINARY_DIR}/_sources")
  if(LATIMER_CACHE_DIR)
    set(sources "${LATIMER_CACHE_DIR}/src")
  endif()
  set(to "${sources}/${lower}-${arg_VERSION}-${short}")
  set(${folder} "${to}" PARENT_SCOPE)
  if(EXISTS "${to}")
    # All that is there, because a compiler searches the folder for headers.
    latimer_tree_digest("${to}" "." actual)
    if(NOT actual STREQUAL arg_SHA256)
      message(FATAL_ERROR "${to} is not the pinned ${name} ${arg_VERSION}: "
        "its files have changed (digest '${actual}', expected "
        "'${arg_SHA256}'). Remove this folder, and the next configure step "
        "fetches it again.")
    endif()
    return()
  endif()
  file(MAKE_DIRECTORY "${sources}")
  file(LOCK "${sources}/${lower}.lock" GUARD FUNCTION TIMEOUT 900)
  set(mirrors "")
  if(arg_DEBIAN)
    execute_process(COMMAND apt-get indextargets --format "$(REPO_URI)"
        "Created-By: Packages"
      OUTPUT_VARIABLE mirrors ERROR_QUIET RESULT_VARIABLE ignored)
    string(REGEX MATCHALL "https?://[^\n]+" mirrors "${mirrors}")
    list(REMOVE_DUPLICATES mirrors)
    list(TRANSFORM mirrors APPEND "pool/main/${arg_DEBIAN}")
  endif()
  set(tried "")
  foreach(url IN LISTS mirrors arg_URL)
    if(NOT EXISTS "${to}")  # Another configure may have brought it meanwhile.
      message(STATUS "Fetching ${name} ${arg_VERSION}")
      latimer_download("${url}" "${arg_PATHS}" "${arg_SHA256}" "${to}" reason)
      string(APPEND tried "\n  ${url}: ${reason}")
    endif()
  endforeach()
  if(NOT EXISTS "${to}")
    set(${folder} "" PARENT_SCOPE)
    set(${why} "Cannot get ${name} ${arg_VERSION}; tried:${tried}
Unpack that version somewhere and configure again with \
-DFETCHCONTENT_SOURCE_DIR_${name}=<folder>." PARENT_SCOPE)
  endif()
endfunction()

function(latimer_dependency name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIONAL"
    "VERSION;SHA256;DEBIAN;URL;SPDX;PART" "PATHS;DEPENDS")
  latimer_find_sources(${name} folder why)
  if(why AND NOT arg_OPTIONAL)
    message(FATAL_ERROR "${why}")
  elseif(NOT why)
    set(licenses "${arg_PATHS}")
    list(FILTER licenses INCLUDE REGEX "^(LICENSE|License)")
    list(TRANSFORM licenses PREPEND "${folder}/")
    latimer_sbom_component(${name} VERSION "${arg_VERSION}" SPDX "${arg_SPDX}"
      PART "${arg_PART}" URL "${arg_URL}" TREE_SHA256 "${arg_SHA256}"
      DEPENDS ${arg_DEPENDS} LICENSES ${licenses})
  endif()
  set(${name}_SOURCE_DIR "${folder}" PARENT_SCOPE)
  set(${name}_WHY "${why}" PARENT_SCOPE)
endfunction()

# latimer_header_library(<target> <folder>): a library of nothing but headers.
function(latimer_header_library target folder)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE "${folder}")
endfunction()
