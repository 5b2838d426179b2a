# Writes MANUAL, the man page of PROGRAM, from what PROGRAM --help says.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${PROGRAM}" --help OUTPUT_VARIABLE help
  COMMAND_ERROR_IS_FATAL ANY)
get_filename_component(name "${PROGRAM}" NAME)
string(REPLACE "\\" "\\e" help "${help}")
string(REPLACE "-" "\\-" help "${help}")
string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" help "${help}")
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
.nf
${help}.fi
.SH SEE ALSO
.BR ${also} (1)
")
