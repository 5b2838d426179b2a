# Adds a model file to a bill of materials that has none or an older one of it.
#   cmake -DBILL=<file> -DMODEL=<model.ltm> -DLATIMER=<program of this machine>
#     -P add_model_to_bill.cmake
cmake_minimum_required(VERSION 3.25)

# As a string of JSON.
function(quote text result)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n" text "${text}")
  string(REPLACE "\r" "\\r" text "${text}")
  string(REPLACE "\t" "\\t" text "${text}")
  set(${result} "\"${text}\"" PARENT_SCOPE)
endfunction()

set(license "")
set(version "")
set(source "")
if(LATIMER)
  execute_process(COMMAND "${LATIMER}" inspect "${MODEL}" --json
    OUTPUT_VARIABLE about COMMAND_ERROR_IS_FATAL ANY)
  string(JSON license GET "${about}" license)
  string(JSON version GET "${about}" model_version)
  string(JSON source GET "${about}" source)
else()
  message(STATUS "${BILL} lacks the licence of ${MODEL}: there is no "
    "build/host/bin/latimer to read it.")
endif()
get_filename_component(name "${MODEL}" NAME_WE)
file(SHA256 "${MODEL}" digest)
if(version STREQUAL "")
  string(SUBSTRING "${digest}" 0 16 version)
endif()
string(REGEX MATCH "[^\r\n]+" title "${license}")
foreach(text IN ITEMS name version source license title)
  quote("${${text}}" ${text})
endforeach()
set(model "{\"type\": \"machine-learning-model\", \"bom-ref\": \"model\",
  \"name\": ${name}, \"version\": ${version}, \"description\": ${source},
  \"supplier\": {\"name\": ${source}}, \"scope\": \"required\",
  \"hashes\": [{\"alg\": \"SHA-256\", \"content\": \"${digest}\"}],
  \"purl\": \"pkg:generic/latimer-model?checksum=sha256:${digest}\"}")
if(NOT title STREQUAL "\"\"")
  string(JSON model SET "${model}" licenses
    "[{\"license\": {\"name\": ${title}, \"text\": {\"content\": ${license}}}}]")
endif()

file(READ "${BILL}" json)
foreach(list IN ITEMS components dependencies)  # An older one goes.
  string(JSON last LENGTH "${json}" ${list})
  math(EXPR last "${last} - 1")
  foreach(i RANGE ${last} 0 -1)
    string(JSON ref ERROR_VARIABLE none GET "${json}" ${list} ${i} bom-ref)
    string(JSON edge ERROR_VARIABLE none GET "${json}" ${list} ${i} ref)
    if(ref STREQUAL "model" OR edge STREQUAL "model")
      string(JSON json REMOVE "${json}" ${list} ${i})
    endif()
  endforeach()
endforeach()
string(JSON count LENGTH "${json}" components)
string(JSON json SET "${json}" components ${count} "${model}")
string(JSON count LENGTH "${json}" dependencies)
string(JSON json SET "${json}" dependencies ${count}
  "{\"ref\": \"model\", \"dependsOn\": []}")
foreach(i RANGE ${count})
  string(JSON ref GET "${json}" dependencies ${i} ref)
  if(ref STREQUAL "latimer")
    string(JSON depends GET "${json}" dependencies ${i} dependsOn)
    if(NOT depends MATCHES "\"model\"")
      string(JSON count LENGTH "${depends}")
      string(JSON json SET "${json}" dependencies ${i} dependsOn ${count}
        "\"model\"")
    endif()
    break()
  endif()
endforeach()
string(JSON json REMOVE "${json}" serialNumber)
string(UUID serial NAMESPACE 6ba7b811-9dad-11d1-80b4-00c04fd430c8
  NAME "${json}" TYPE SHA1)
string(JSON json SET "${json}" serialNumber "\"urn:uuid:${serial}\"")
file(WRITE "${BILL}" "${json}\n")
