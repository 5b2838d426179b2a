#   cmake -DSBOM=latimer.cdx.json -DALSO=sodium -DROOT=<source dir>
#     -DMODEL=<any file> -P check_sbom.cmake
# The bill of materials of a build names the parts of every program, each with
# its version, licence and source, and nothing of the tests; it has NTIA's
# minimum elements; and a model is added to it once.
file(READ "${SBOM}" json)
string(JSON format GET "${json}" bomFormat)
if(NOT format STREQUAL "CycloneDX")
  message(FATAL_ERROR "${SBOM} is no CycloneDX")
endif()
set(names "")
set(refs "")
string(JSON count LENGTH "${json}" components)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON name GET "${json}" components ${i} name)
  list(APPEND names "${name}")
  string(JSON version GET "${json}" components ${i} version)
  string(JSON license ERROR_VARIABLE no_id
    GET "${json}" components ${i} licenses 0 license id)
  if(no_id)
    string(JSON license ERROR_VARIABLE no_expression
      GET "${json}" components ${i} licenses 0 expression)
    if(no_expression)
      string(JSON license GET "${json}" components ${i} licenses 0 license name)
    endif()
  endif()
  string(JSON part GET "${json}" components ${i} properties 0 value)
  foreach(member IN ITEMS bom-ref purl)
    string(JSON ${member} GET "${json}" components ${i} ${member})
  endforeach()
  string(JSON supplier GET "${json}" components ${i} supplier name)
  if(supplier STREQUAL "" OR NOT purl MATCHES "^pkg:[a-z]+/.+@.")
    message(FATAL_ERROR "${name} has the supplier '${supplier}', purl '${purl}'")
  endif()
  list(APPEND refs "${bom-ref}")
  if(NOT version MATCHES
      "^([0-9]+:)?[0-9a-f]+(\\.[0-9]+)*(\\.rel[0-9]+)?(-[0-9a-z.+]+)?$")
    message(FATAL_ERROR "${name} has the version '${version}'")
  endif()
  if(NOT license MATCHES "^(Apache-2.0|BSD-[23]-Clause|ISC|MIT|Zlib|\
Licences of [a-z-]*newlib[a-z-]*|LGPL-2.1-or-later|GPL-3.0-or-later WITH GCC-exception-3.1|ZPL-2.1|\
MIT AND Apache-2.0 WITH LLVM-exception)$")
    message(FATAL_ERROR "${name} has the licence '${license}'")
  endif()
  if(NOT part MATCHES "^(runtime|signatures|programs|converter)$")
    message(FATAL_ERROR "${name} belongs to '${part}'")
  endif()
endforeach()
foreach(name IN ITEMS flatbuffers xxhash xnnpack pthreadpool fxdiv
    ${ALSO})
  list(FIND names ${name} place)
  if(place EQUAL -1)
    message(FATAL_ERROR "${SBOM} has ${names}, but not ${name}")
  endif()
endforeach()
set(once ${names})
list(REMOVE_DUPLICATES once)
if(NOT names STREQUAL once)
  message(FATAL_ERROR "${SBOM} names something twice: ${names}")
endif()

# ---- NTIA's minimum elements ---------------------------------------------------

string(JSON date GET "${json}" metadata timestamp)
string(JSON author GET "${json}" metadata authors 0 name)
string(JSON serial GET "${json}" serialNumber)
if(NOT date MATCHES "^20[0-9-]+T[0-9:]+Z$" OR author STREQUAL ""
    OR NOT serial MATCHES "^urn:uuid:[0-9a-f-]+$")
  message(FATAL_ERROR "${SBOM} is of '${date}' by '${author}', ${serial}")
endif()
string(JSON count LENGTH "${json}" dependencies)
math(EXPR last "${count} - 1")
set(with_edges "")
foreach(i RANGE ${last})
  string(JSON ref GET "${json}" dependencies ${i} ref)
  string(JSON edges LENGTH "${json}" dependencies ${i} dependsOn)
  list(APPEND with_edges ${ref})
  list(LENGTH refs components)
  if(ref STREQUAL "latimer" AND NOT edges EQUAL components)
    message(FATAL_ERROR "latimer depends on ${edges} of ${refs}")
  endif()
endforeach()
list(APPEND refs latimer)
list(SORT refs)
list(SORT with_edges)
if(NOT refs STREQUAL with_edges)
  message(FATAL_ERROR "the components are ${refs}, with edges ${with_edges}")
endif()

# ---- A model -------------------------------------------------------------------

set(copy "${SBOM}.test")
file(WRITE "${copy}" "${json}")
foreach(time IN ITEMS once twice)
  execute_process(COMMAND "${CMAKE_COMMAND}" "-DBILL=${copy}"
      "-DMODEL=${MODEL}" -P "${ROOT}/cmake/add_model_to_bill.cmake"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(SHA256 "${copy}" ${time})
endforeach()
file(READ "${copy}" with_model)
file(REMOVE "${copy}")
string(JSON count LENGTH "${with_model}" components)
list(LENGTH refs expected)  # Latimer is no component of itself.
string(JSON other GET "${with_model}" serialNumber)
if(NOT once STREQUAL twice OR NOT count EQUAL expected OR other STREQUAL serial)
  message(FATAL_ERROR "with a model, ${SBOM} is wrong:\n${with_model}")
endif()
