# The software bill of materials of a build: the software of others in its
# programs and tests. CycloneDX 1.5, at build/<preset>/latimer.cdx.json.
include_guard()

set_property(GLOBAL PROPERTY LATIMER_SBOM_COMPONENTS "[]")

# latimer_sbom_component(NAME ...)
#   VERSION  of the upstream
#   SPDX     identifier of its licence
#   PART     what has it: runtime, programs, converter or tests
#   URL      upstream archive at GitHub
#   TREE_SHA256  SHA256 of latimer_dependency()
function(latimer_sbom_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg ""
    "VERSION;SPDX;PART;URL;TREE_SHA256" "")
  string(TOLOWER "${name}" lower)
  set(scope required)
  if(arg_PART STREQUAL "tests")
    set(scope excluded)  # Not shipped.
  endif()
  string(REGEX REPLACE "^https://github.com/([^/]+/[^/]+)/archive/(.*)\\.tar\\.gz$"
    "pkg:github/\\1@\\2" purl "${arg_URL}")
  string(TOLOWER "${purl}" purl)
  set(json "{\"type\": \"library\", \"name\": \"${lower}\",
    \"version\": \"${arg_VERSION}\", \"scope\": \"${scope}\", \"purl\": \"${purl}\",
    \"licenses\": [{\"license\": {\"id\": \"${arg_SPDX}\"}}],
    \"externalReferences\": [{\"type\": \"distribution\", \"url\": \"${arg_URL}\"}],
    \"properties\": [
      {\"name\": \"latimer:part\", \"value\": \"${arg_PART}\"},
      {\"name\": \"latimer:tree-sha256\", \"value\": \"${arg_TREE_SHA256}\"}]}")
  get_property(components GLOBAL PROPERTY LATIMER_SBOM_COMPONENTS)
  string(JSON count LENGTH "${components}")
  string(JSON components SET "${components}" ${count} "${json}")
  set_property(GLOBAL PROPERTY LATIMER_SBOM_COMPONENTS "${components}")
endfunction()

# The last step of a configure.
function(latimer_write_sbom)
  get_property(components GLOBAL PROPERTY LATIMER_SBOM_COMPONENTS)
  set(json "{\"bomFormat\": \"CycloneDX\", \"specVersion\": \"1.5\",
    \"version\": 1, \"metadata\": {\"component\": {\"type\": \"application\",
    \"name\": \"latimer\", \"version\": \"${PROJECT_VERSION}\"}}}")
  string(JSON json SET "${json}" components "${components}")
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/latimer.cdx.json"
    CONTENT "${json}\n" @ONLY)
endfunction()
