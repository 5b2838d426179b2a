# Writes MANUAL, the man page of PROGRAM, from what it and its commands say to
# --help: a paragraph for each option. An emulator may stand before PROGRAM.
cmake_minimum_required(VERSION 3.25)

function(help_of result)
  execute_process(COMMAND ${PROGRAM} ${ARGN} --help OUTPUT_VARIABLE text
    COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\\" "\\e" text "\n${text}")
  string(REGEX REPLACE "\nUsage: ([^\n]*)" "\n.PP\n.B \\1" text "${text}")
  string(REGEX REPLACE "\n([A-Z][a-z ]+):\n" "\n.SS \\1\n" text "${text}")
  # A name, and what it does behind two spaces or on the next line; CLI11 writes
  # one space behind a name of 27 characters.
  set(name "[^ \n]+( [^ \n]+)*")
  string(REGEX REPLACE "\n  (${name})(\n        |  ) *" "\n.TP\n.B \\1\n" text
    "${text}")
  string(REPEAT "[^\n]" 27 name)
  string(REGEX REPLACE "\n  (${name}) " "\n.TP\n.B \\1\n" text "${text}")
  string(REGEX REPLACE "\n +" "\n\\\\&" text "${text}")
  string(REGEX REPLACE "\n\n([^.])" "\n.PP\n\\1" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

help_of(help)
list(GET PROGRAM -1 name)
get_filename_component(name "${name}" NAME)
string(REGEX MATCHALL "\n\\.B [a-z]+\n" commands "${help}")
foreach(command IN LISTS commands)
  string(REGEX REPLACE "\n\\.B ([a-z]+)\n" "\\1" command "${command}")
  help_of(of_command ${command})
  string(APPEND help ".SH \"${name} ${command}\"\n${of_command}")
endforeach()
string(TOUPPER "${name}" upper)
set(does "translate text with a model file")
set(also latimer-convert)
if(name STREQUAL "latimer-convert")
  set(does "convert a translation model to a model file")
  set(also latimer)
endif()
file(WRITE "${MANUAL}" ".TH ${upper} 1 \"\" \"Latimer ${VERSION}\"
.SH NAME
${name} \\- ${does}
.SH DESCRIPTION
${help}.SH SEE ALSO
.BR ${also} (1)
")
