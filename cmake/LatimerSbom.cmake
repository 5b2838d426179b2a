# The software of others in a build, from one list: what
# latimer_sbom_component() is told.
#
#   latimer.cdx.json          the bill of materials, CycloneDX 1.5: the software
#                             of others in programs, libraries and tests
#   latimer_runtime.cdx.json  that of the runtime alone, for what has no more
#   latimer_third_party/PART/NAME  the licence texts
#
# All of them are in the build folder when its configure step is done.
include_guard()

set_property(GLOBAL PROPERTY LATIMER_SBOM_COMPONENTS "[]")
set_property(GLOBAL PROPERTY LATIMER_SBOM_RUNTIME_COMPONENTS "[]")
set(LATIMER_THIRD_PARTY_DIR "${PROJECT_BINARY_DIR}/latimer_third_party")
file(REMOVE_RECURSE "${LATIMER_THIRD_PARTY_DIR}")
# Of PART, what is shipped.
set(LATIMER_SHIPPED_PARTS runtime programs converter)

# latimer_sbom_component(NAME ...)
#   VERSION  of the upstream
#   SPDX     identifier of its licence, or an expression
#   PART     what has it: runtime, programs, converter or tests
#   URL      upstream archive at GitHub
#   PURL     package URL, if URL does not say it
#   TREE_SHA256  SHA256 of latimer_dependency()
#   LICENSES  files with the text of its licence
function(latimer_sbom_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg ""
    "VERSION;SPDX;PART;URL;PURL;TREE_SHA256" "LICENSES")
  string(TOLOWER "${name}" lower)
  if(NOT arg_LICENSES)
    message(FATAL_ERROR "No text of the licence of ${lower} is known, and "
      "nothing may be passed on without: name it in LICENSES.")
  endif()
  file(COPY ${arg_LICENSES}
    DESTINATION "${LATIMER_THIRD_PARTY_DIR}/${arg_PART}/${lower}")
  set(scope excluded)
  if(arg_PART IN_LIST LATIMER_SHIPPED_PARTS)
    set(scope required)
  endif()
  set(purl "${arg_PURL}")
  if(NOT purl)
    string(REGEX REPLACE
      "^https://github.com/([^/]+/[^/]+)/archive/(.*)\\.tar\\.gz$"
      "pkg:github/\\1@\\2" purl "${arg_URL}")
    string(TOLOWER "${purl}" purl)
  endif()
  set(license "{\"license\": {\"id\": \"${arg_SPDX}\"}}")
  if(arg_SPDX MATCHES " ")
    set(license "{\"expression\": \"${arg_SPDX}\"}")
  endif()
  set(json "{\"type\": \"library\", \"name\": \"${lower}\",
    \"version\": \"${arg_VERSION}\", \"scope\": \"${scope}\", \"purl\": \"${purl}\",
    \"licenses\": [${license}], \"properties\": [
      {\"name\": \"latimer:part\", \"value\": \"${arg_PART}\"}]}")
  if(arg_URL)
    string(JSON json SET "${json}" externalReferences
      "[{\"type\": \"distribution\", \"url\": \"${arg_URL}\"}]")
    string(JSON json SET "${json}" properties 1 "{
      \"name\": \"latimer:tree-sha256\", \"value\": \"${arg_TREE_SHA256}\"}")
  endif()
  set(bills LATIMER_SBOM_COMPONENTS)
  if(arg_PART STREQUAL "runtime")
    list(APPEND bills LATIMER_SBOM_RUNTIME_COMPONENTS)
  endif()
  foreach(bill IN LISTS bills)
    get_property(components GLOBAL PROPERTY ${bill})
    string(JSON count LENGTH "${components}")
    string(JSON components SET "${components}" ${count} "${json}")
    set_property(GLOBAL PROPERTY ${bill} "${components}")
  endforeach()
endfunction()

# Lists a library of the toolchain that programs have inside, such as libc.a. Its
# version and its licence are those of the Debian package that has it; one that
# is of no package is left out with a message.
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
  execute_process(COMMAND dpkg-query -W "-f=\${Version}" "${package}"
    OUTPUT_VARIABLE version)
  set(common "/usr/share/common-licenses")
  if(library STREQUAL "libstdc++.a")
    set(spdx "GPL-3.0-or-later WITH GCC-exception-3.1")
    set(text "${common}/GPL-3")
  elseif(library STREQUAL "libc.a")
    set(spdx "LGPL-2.1-or-later")
    set(text "${common}/LGPL-2.1")
  else()  # MinGW-w64's own.
    set(spdx "ZPL-2.1")
    set(text "")
  endif()
  string(REPLACE "+" "%2B" purl "pkg:deb/debian/${package}@${version}")
  latimer_sbom_component("${package}" VERSION "${version}" SPDX "${spdx}"
    PART programs PURL "${purl}"
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
    PURL "pkg:generic/zig@${version}"
    LICENSES "${zig}/lib/libcxx/LICENSE.TXT" ${licenses})
endfunction()

# Writes a bill with the components of that property.
function(latimer_write_bill file property)
  get_property(components GLOBAL PROPERTY ${property})
  set(json "{\"bomFormat\": \"CycloneDX\", \"specVersion\": \"1.5\",
    \"version\": 1, \"metadata\": {\"component\": {\"type\": \"application\",
    \"name\": \"latimer\", \"version\": \"${PROJECT_VERSION}\",
    \"licenses\": [{\"license\": {\"id\": \"Apache-2.0\"}}]}}}")
  string(JSON json SET "${json}" components "${components}")
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${file}"
    CONTENT "${json}\n" @ONLY)
endfunction()

# The last step of a configure.
function(latimer_write_sbom)
  latimer_write_bill(latimer.cdx.json LATIMER_SBOM_COMPONENTS)
  latimer_write_bill(latimer_runtime.cdx.json LATIMER_SBOM_RUNTIME_COMPONENTS)
endfunction()
