# latimer_check_published_ids(<example> <options of latimer-convert> <lines>
#   <SHA-256> <where the ids are>): fails if the target ids of so many lines have
# another SHA-256 than is published for the example, with the weights that the
# options name.
function(latimer_check_published_ids example options lines got where)
  set(hashes "tests/data/same_tokens.sha256")
  if(NOT example STREQUAL "en-de")
    set(hashes "examples/${example}/same_tokens.sha256")
  endif()
  set(weights int8)
  if("${options}" MATCHES "--weights;([a-z0-9]+)")
    set(weights "${CMAKE_MATCH_1}")
  endif()
  file(STRINGS "${ROOT}/${hashes}" line REGEX "  ${weights} ${lines}$")
  string(REGEX MATCH "^[0-9a-f]+" expected "${line}")
  if(NOT got STREQUAL expected)
    message(FATAL_ERROR "The SHA-256 of the ids is\n  ${got}\nnot\n  ${expected}"
      "\nin ${hashes}. ${where}")
  endif()
endfunction()
