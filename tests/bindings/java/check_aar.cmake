# make_aar.cmake writes an Android library of the ABIs that were built, or says
# in one sentence what is missing.
#   cmake -DROOT=<source dir> -DWORK=<folder> -DLIBRARY=liblatimer_jni.so
#     -DJAR=latimer.jar -P check_aar.cmake
cmake_minimum_required(VERSION 3.25)
set(script "${ROOT}/bindings/java/android/make_aar.cmake")
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

execute_process(COMMAND "${CMAKE_COMMAND}" "-DBUILDS=${WORK}" -P "${script}"
  RESULT_VARIABLE code ERROR_VARIABLE error OUTPUT_QUIET)
string(REGEX REPLACE "[ \n]+" " " error "${error}")
if(code EQUAL 0 OR NOT error MATCHES
    "has no library for Android, or no latimer.jar: run cmake --workflow")
  message(FATAL_ERROR "Without libraries: ${error}")
endif()

foreach(preset IN ITEMS android_arm64 android_armv7)
  file(MAKE_DIRECTORY "${WORK}/${preset}/java")
  file(COPY "${LIBRARY}" "${JAR}" DESTINATION "${WORK}/${preset}/java")
endforeach()
execute_process(COMMAND "${CMAKE_COMMAND}" "-DBUILDS=${WORK}" -P "${script}"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" -E tar tf "${WORK}/latimer.aar"
  OUTPUT_VARIABLE files COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]*[^/\n]\n" files "${files}")  # Not the folders.
list(SORT files)
string(CONCAT files ${files})
set(expected "AndroidManifest.xml
R.txt
classes.jar
jni/arm64-v8a/liblatimer_jni.so
jni/armeabi-v7a/liblatimer_jni.so
proguard.txt
")
if(NOT files STREQUAL expected)
  message(FATAL_ERROR "latimer.aar has\n${files}not\n${expected}")
endif()
file(MAKE_DIRECTORY "${WORK}/unpacked")
execute_process(COMMAND "${CMAKE_COMMAND}" -E tar xf "${WORK}/latimer.aar"
  WORKING_DIRECTORY "${WORK}/unpacked" COMMAND_ERROR_IS_FATAL ANY)
file(SHA256 "${JAR}" jar)
file(SHA256 "${WORK}/unpacked/classes.jar" classes)
if(NOT jar STREQUAL classes)
  message(FATAL_ERROR "classes.jar is not latimer.jar.")
endif()
