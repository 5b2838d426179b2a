# latimer_read_isas(<architecture>): what runtime/base/isas.txt says of it. Sets
#
#   latimer_known_isas         its instruction sets, oldest first
#   latimer_isa_implied_<isa>  the one that it implies, or "-"
#   latimer_isa_uses_<isa>     "limit", "vector", "nibble", "asked"
#   latimer_isa_flags_<isa>    the compiler's flags
#   latimer_every_isa          the names of all architectures
include_guard()
set(latimer_isas_file "${CMAKE_CURRENT_LIST_DIR}/../runtime/base/isas.txt")

macro(latimer_read_isas architecture)
  file(READ "${latimer_isas_file}" text)
  string(REGEX REPLACE "#[^\n]*\n" "" text "${text}")
  string(REGEX REPLACE "\n +" " " text "${text}")
  string(REGEX MATCHALL "[^\n]+" rows "${text}")
  set(latimer_known_isas "")
  set(latimer_every_isa "")
  foreach(row IN LISTS rows)
    string(REGEX REPLACE " +" ";" flags "${row}")
    list(POP_FRONT flags arch isa implied uses)
    if(NOT uses MATCHES "^(-|((limit|vector|nibble|asked),?)+)$")
      message(FATAL_ERROR "${latimer_isas_file}: uses '${uses}' in: ${row}")
    endif()
    list(APPEND latimer_every_isa ${isa})
    if(NOT arch STREQUAL "${architecture}")
      continue()
    endif()
    list(FIND flags "|" bar)
    if(LATIMER_ZIG AND NOT bar EQUAL -1)
      math(EXPR bar "${bar} + 1")
      list(SUBLIST flags ${bar} -1 flags)
    else()
      list(SUBLIST flags 0 ${bar} flags)
    endif()
    list(APPEND latimer_known_isas ${isa})
    set(latimer_isa_implied_${isa} ${implied})
    string(REPLACE "," ";" latimer_isa_uses_${isa} "${uses}")
    set(latimer_isa_flags_${isa} ${flags})
  endforeach()
  list(REMOVE_DUPLICATES latimer_every_isa)
endmacro()
