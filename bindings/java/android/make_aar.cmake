# Puts what the Android presets have built into an Android library:
#   cmake -P bindings/java/android/make_aar.cmake
# writes build/latimer.aar with each ABI that there is in build/. -D before -P:
#   BUILDS  the folder with the presets' build folders
#   AAR     the file to write
# The format: developer.android.com/studio/projects/android-library, "Anatomy of
# an AAR file".
cmake_minimum_required(VERSION 3.25)
set(here "${CMAKE_CURRENT_LIST_DIR}")
if(NOT BUILDS)
  cmake_path(SET BUILDS NORMALIZE "${here}/../../../build")
endif()
if(NOT AAR)
  set(AAR "${BUILDS}/latimer.aar")
endif()
cmake_path(ABSOLUTE_PATH AAR)

set(work "${AAR}.parts")
file(REMOVE_RECURSE "${work}")
set(jar "")
foreach(build_and_abi IN ITEMS android_arm64:arm64-v8a
    android_armv7:armeabi-v7a android_x86_64:x86_64)
  string(REGEX MATCH "(.*):(.*)" match "${build_and_abi}")
  set(built "${BUILDS}/${CMAKE_MATCH_1}/java")
  if(EXISTS "${built}/liblatimer_jni.so")
    file(COPY "${built}/liblatimer_jni.so"
      DESTINATION "${work}/jni/${CMAKE_MATCH_2}")
    message(STATUS "${CMAKE_MATCH_2}: ${built}/liblatimer_jni.so")
  endif()
  if(EXISTS "${built}/latimer.jar")
    set(jar "${built}/latimer.jar")
  endif()
endforeach()
if(NOT EXISTS "${work}" OR NOT jar)
  message(FATAL_ERROR "${BUILDS} has no library for Android, or no "
    "latimer.jar: run cmake --workflow --preset android_arm64 first, on a "
    "machine with a JDK.")
endif()
file(COPY_FILE "${jar}" "${work}/classes.jar")
file(COPY "${here}/AndroidManifest.xml" "${here}/proguard.txt"
  DESTINATION "${work}")
file(WRITE "${work}/R.txt" "")  # It has no resources.
file(GLOB parts RELATIVE "${work}" "${work}/*")
execute_process(COMMAND "${CMAKE_COMMAND}" -E tar cf "${AAR}" --format=zip
    ${parts} WORKING_DIRECTORY "${work}" COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE "${work}")
message(STATUS "${AAR}")
