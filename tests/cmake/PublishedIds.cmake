# latimer_published_ids(<example> <options of latimer-convert> <lines>): sets
# `hashes` to the file that has the SHA-256 of an example's target ids, and
# `expected` to that of so many lines with the weights that the options name.
function(latimer_published_ids example options lines)
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
  set(hashes "${hashes}" PARENT_SCOPE)
  set(expected "${expected}" PARENT_SCOPE)
endfunction()
