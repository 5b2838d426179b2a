# Translates the lines of SENTENCES with LATIMER and MODEL and prints both.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${LATIMER}" translate "${MODEL}"
  INPUT_FILE "${SENTENCES}" OUTPUT_VARIABLE translations
  RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "latimer translate failed (${code})")
endif()
file(STRINGS "${SENTENCES}" sources ENCODING UTF-8)
string(REGEX REPLACE "\n$" "" translations "${translations}")
string(REPLACE ";" "\\;" translations "${translations}")
string(REPLACE "\n" ";" translations "${translations}")
foreach(source translation IN ZIP_LISTS sources translations)
  message(NOTICE "  en  ${source}\n  de  ${translation}\n")
endforeach()
message(NOTICE "Try your own:\n"
  "  echo \"Where is the station?\" | ${LATIMER} translate ${MODEL}")
