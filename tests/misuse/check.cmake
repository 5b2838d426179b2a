# cmake -DCOMPILER=CXX -DINCLUDES=FOLDERS -DFILE=FILE.cc -P check.cmake
# Compiles a file, which must succeed, and compiles it with LATIMER_MISUSE, which
# must fail with what its first line says. A folder of the same name has headers
# that are found before all others.
file(STRINGS "${FILE}" first LIMIT_COUNT 1)
string(REPLACE "// Must not compile: " "" expected "${first}")
if(expected STREQUAL first)
  message(FATAL_ERROR "${FILE}: the first line lacks \"// Must not compile: REGEX\".")
endif()
string(REGEX REPLACE "\\.cc$" "" own "${FILE}")
list(PREPEND INCLUDES "${own}")
list(TRANSFORM INCLUDES PREPEND "-I")
set(command "${COMPILER}" -std=c++20 ${INCLUDES} -Werror=unused-result -fsyntax-only)
execute_process(COMMAND ${command} "${FILE}"
  RESULT_VARIABLE code ERROR_VARIABLE errors)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${FILE} does not compile as it should be used:\n${errors}")
endif()
execute_process(COMMAND ${command} -DLATIMER_MISUSE "${FILE}"
  RESULT_VARIABLE code ERROR_VARIABLE errors)
if(code EQUAL 0)
  message(FATAL_ERROR "${FILE}: the mistake compiles.")
elseif(NOT errors MATCHES "error: [^\n]*(${expected})")
  message(FATAL_ERROR "${FILE}: the mistake is found for another reason:\n${errors}")
endif()
