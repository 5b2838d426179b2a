# The software of others in a build, from one list: what
# latimer_sbom_component() is told. Bills of materials, CycloneDX 1.5 with NTIA's
# minimum elements:
#
#   latimer.cdx.json          what the build can ship: runtime, programs, converter
#   latimer_program.cdx.json  what is in the program `latimer`; with a model in
#                             it, building the program adds that
#   latimer_runtime.cdx.json  what is in the runtime alone
#   latimer_signed_runtime.cdx.json  the same with what checks signatures
#
# and latimer_third_party/PART/NAME, the licence texts. All of them are in the
# build folder when its configure step is done. The same commit, or the same
# SOURCE_DATE_EPOCH, gives the same bytes.
include_guard()

set_property(GLOBAL PROPERTY LATIMER_SBOM_COMPONENTS "[]")
set(LATIMER_THIRD_PARTY_DIR "${PROJECT_BINARY_DIR}/latimer_third_party")
file(REMOVE_RECURSE "${LATIMER_THIRD_PARTY_DIR}")
# Of PART, what is shipped.
set(LATIMER_SHIPPED_PARTS runtime signatures programs converter)
foreach(part IN LISTS LATIMER_SHIPPED_PARTS)
  file(MAKE_DIRECTORY "${LATIMER_THIRD_PARTY_DIR}/${part}")
endforeach()

# latimer_sbom_component(NAME ...)
#   VERSION  of the upstream
#   SPDX     identifier of its licence, an expression, or "Licences of ..."
#   PART     what has it: runtime, signatures, programs, converter or tests
#   URL      upstream archive at GitHub
#   PURL     package URL, if URL does not say it
#   SUPPLIER  who provides it, by default the owner of the archive at URL
#   DEPENDS  other components that it uses
#   TREE_SHA256  SHA256 of latimer_dependency()
#   LICENSES  files with the text of its licence
function(latimer_sbom_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg ""
    "VERSION;SPDX;PART;URL;PURL;SUPPLIER;TREE_SHA256" "LICENSES;DEPENDS")
  string(TOLOWER "${name}" lower)
  if(NOT arg_LICENSES)
    message(FATAL_ERROR "No text of the licence of ${lower} is known, and "
      "nothing may be passed on without: name it in LICENSES.")
  endif()
  file(COPY ${arg_LICENSES}
    DESTINATION "${LATIMER_THIRD_PARTY_DIR}/${arg_PART}/${lower}")
  set(purl "${arg_PURL}")
  set(supplier "${arg_SUPPLIER}")
  if(arg_URL MATCHES
      "^https://github.com/(([^/]+)/[^/]+)/archive/(.*)\\.tar\\.gz$")
    string(TOLOWER "pkg:github/${CMAKE_MATCH_1}@${CMAKE_MATCH_3}" purl)
    set(supplier "${CMAKE_MATCH_2}")
  endif()
  set(license "{\"license\": {\"id\": \"${arg_SPDX}\"}}")
  if(arg_SPDX MATCHES "^Licences ")
    set(license "{\"license\": {\"name\": \"${arg_SPDX}\"}}")
  elseif(arg_SPDX MATCHES " ")
    set(license "{\"expression\": \"${arg_SPDX}\"}")
  endif()
  set(json "{\"type\": \"library\", \"bom-ref\": \"${lower}\",
    \"name\": \"${lower}\", \"version\": \"${arg_VERSION}\",
    \"supplier\": {\"name\": \"${supplier}\"},
    \"scope\": \"required\", \"purl\": \"${purl}\",
    \"licenses\": [${license}], \"properties\": [
      {\"name\": \"latimer:part\", \"value\": \"${arg_PART}\"}]}")
  if(arg_URL)
    string(JSON json SET "${json}" externalReferences
      "[{\"type\": \"distribution\", \"url\": \"${arg_URL}\"}]")
    string(JSON json SET "${json}" properties 1 "{
      \"name\": \"latimer:tree-sha256\", \"value\": \"${arg_TREE_SHA256}\"}")
  endif()
  get_property(components GLOBAL PROPERTY LATIMER_SBOM_COMPONENTS)
  string(JSON count LENGTH "${components}")
  string(JSON components SET "${components}" ${count} "${json}")
  set_property(GLOBAL PROPERTY LATIMER_SBOM_COMPONENTS "${components}")
  set_property(GLOBAL PROPERTY LATIMER_SBOM_DEPENDS_${lower} "${arg_DEPENDS}")
endfunction()

# Lists a library of the toolchain that programs have inside, such as libc.a. Its
# version is that of the Debian package that has it; one that is of no package is
# left out with a message.
function(latimer_sbom_toolchain library)
  set(for "")
  if(CMAKE_CXX_COMPILER_TARGET)
    set(for "--target=${CMAKE_CXX_COMPILER_TARGET}")
  endif()
  execute_process(
    COMMAND "${CMAKE_CXX_COMPILER}" ${for} -print-file-name=${library}
    OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH "${path}" path)
  execute_process(COMMAND dpkg-query -S "${path}" OUTPUT_VARIABLE package
    ERROR_QUIET RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(STATUS "The bill of materials lacks ${library}, which is of no "
      "Debian package: ${path}")
    return()
  endif()
  string(REGEX REPLACE ":.*" "" package "${package}")
  get_property(listed GLOBAL PROPERTY LATIMER_SBOM_DEPENDS_${package} SET)
  if(listed)
    return()
  endif()
  execute_process(COMMAND dpkg-query -W "-f=\${Version}" "${package}"
    OUTPUT_VARIABLE version)
  set(common "/usr/share/common-licenses")
  if(library MATCHES "^lib(stdc\\+\\+|gcc)\\.a$")
    set(spdx "GPL-3.0-or-later WITH GCC-exception-3.1")
    set(text "${common}/GPL-3")
  elseif(package MATCHES "newlib|picolibc")  # Most of its files.
    set(spdx "Licences of ${package}")
    set(text "")
  elseif(library STREQUAL "libc.a")
    set(spdx "LGPL-2.1-or-later")
    set(text "${common}/LGPL-2.1")
  else()  # MinGW-w64's own.
    set(spdx "ZPL-2.1")
    set(text "")
  endif()
  string(REPLACE "+" "%2B" purl "${package}@${version}")
  string(REPLACE ":" "%3A" purl "${purl}")
  string(PREPEND purl "pkg:deb/debian/")
  latimer_sbom_component("${package}" VERSION "${version}" SPDX "${spdx}"
    PART programs PURL "${purl}" SUPPLIER Debian
    LICENSES "/usr/share/doc/${package}/copyright" ${text})
endfunction()

# Lists what Zig brings along: the C library, whose licence is in these files of
# Zig's folder lib/libc, and that of C++.
function(latimer_sbom_zig)
  get_filename_component(zig "${ZIG}" DIRECTORY)
  list(TRANSFORM ARGN PREPEND "${zig}/lib/libc/" OUTPUT_VARIABLE licenses)
  execute_process(COMMAND "${ZIG}" version OUTPUT_VARIABLE version
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  latimer_sbom_component(zig VERSION "${version}"
    SPDX "MIT AND Apache-2.0 WITH LLVM-exception" PART programs
    PURL "pkg:generic/zig@${version}" SUPPLIER "Zig Software Foundation"
    LICENSES "${zig}/lib/libcxx/LICENSE.TXT" ${licenses})
endfunction()

# Sets `result` to when this source was made: SOURCE_DATE_EPOCH, else the date of
# the commit, else that of the file, which an archive of a commit keeps.
function(latimer_source_date result)
  set(own "$ENV{SOURCE_DATE_EPOCH}")
  set(epoch "${own}")
  if("${epoch}" STREQUAL "")
    execute_process(COMMAND git log -1 --format=%ct
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE epoch
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE ignored)
  endif()
  if("${epoch}" STREQUAL "")
    file(TIMESTAMP "${PROJECT_SOURCE_DIR}/CMakeLists.txt" epoch "%s" UTC)
  endif()
  set(ENV{SOURCE_DATE_EPOCH} "${epoch}")
  string(TIMESTAMP date "%Y-%m-%dT%H:%M:%SZ" UTC)
  set(ENV{SOURCE_DATE_EPOCH} "${own}")
  if("${own}" STREQUAL "")
    unset(ENV{SOURCE_DATE_EPOCH})
  endif()
  set(${result} "${date}" PARENT_SCOPE)
endfunction()

# Writes a bill of the components of some parts.
function(latimer_write_bill file name)
  get_property(all GLOBAL PROPERTY LATIMER_SBOM_COMPONENTS)
  string(JSON last LENGTH "${all}")
  math(EXPR last "${last} - 1")
  set(components "[]")
  set(edges "[]")
  set(refs "")
  foreach(i RANGE ${last})
    string(JSON part GET "${all}" ${i} properties 0 value)
    if(part IN_LIST ARGN)
      string(JSON component GET "${all}" ${i})
      string(JSON ref GET "${component}" bom-ref)
      list(LENGTH refs count)
      string(JSON components SET "${components}" ${count} "${component}")
      list(APPEND refs ${ref})
    endif()
  endforeach()
  foreach(ref IN LISTS refs ITEMS latimer)
    get_property(depends GLOBAL PROPERTY LATIMER_SBOM_DEPENDS_${ref})
    if(ref STREQUAL "latimer")
      set(depends ${refs})
    endif()
    list(JOIN depends "\", \"" depends)
    string(REPLACE "\"\"" "" depends "\"${depends}\"")
    string(JSON count LENGTH "${edges}")
    string(JSON edges SET "${edges}" ${count}
      "{\"ref\": \"${ref}\", \"dependsOn\": [${depends}]}")
  endforeach()
  latimer_source_date(date)
  set(authors "The Latimer authors")
  set(json "{\"bomFormat\": \"CycloneDX\", \"specVersion\": \"1.5\",
    \"version\": 1, \"metadata\": {\"timestamp\": \"${date}\",
    \"authors\": [{\"name\": \"${authors}\"}],
    \"supplier\": {\"name\": \"${authors}\"},
    \"component\": {\"type\": \"application\", \"bom-ref\": \"latimer\",
    \"name\": \"${name}\", \"version\": \"${PROJECT_VERSION}\",
    \"supplier\": {\"name\": \"${authors}\"},
    \"purl\": \"pkg:generic/latimer@${PROJECT_VERSION}\",
    \"licenses\": [{\"license\": {\"id\": \"Apache-2.0\"}}]}}}")
  string(JSON json SET "${json}" components "${components}")
  string(JSON json SET "${json}" dependencies "${edges}")
  # The same content has the same number.
  string(UUID serial NAMESPACE 6ba7b811-9dad-11d1-80b4-00c04fd430c8
    NAME "${json}" TYPE SHA1)
  string(JSON json SET "${json}" serialNumber "\"urn:uuid:${serial}\"")
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${file}"
    CONTENT "${json}\n" @ONLY)
endfunction()

# Adds the model that is part of the program `latimer` to its bill whenever the
# program is linked. Its licence comes from the file; what reads that is the
# program beside latimer-convert of this machine.
function(latimer_add_model_to_bill target model)
  get_filename_component(folder "${latimer_convert}" DIRECTORY)
  find_program(latimer_inspect latimer NO_CACHE NO_DEFAULT_PATH
    PATHS "${folder}" "${PROJECT_SOURCE_DIR}/build/host/bin")
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND "${CMAKE_COMMAND}" "-DMODEL=${model}"
      "-DLATIMER=${latimer_inspect}"
      "-DBILL=${PROJECT_BINARY_DIR}/latimer_program.cdx.json"
      -P "${PROJECT_SOURCE_DIR}/cmake/add_model_to_bill.cmake")
endfunction()

# The last step of a configure.
function(latimer_write_sbom)
  latimer_write_bill(latimer.cdx.json latimer ${LATIMER_SHIPPED_PARTS})
  latimer_write_bill(latimer_program.cdx.json latimer runtime signatures
    programs)
  latimer_write_bill(latimer_runtime.cdx.json latimer-runtime runtime)
  latimer_write_bill(latimer_signed_runtime.cdx.json latimer-runtime runtime
    signatures)
endfunction()
