# Builds XNNPACK from SOURCE in the folder BUILD and puts the libraries in the
# folder TO.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${BUILD}")  # It may be of another version.
set(configure "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BUILD}"
  -G "Unix Makefiles" ${OPTIONS}
  "-DCPUINFO_SOURCE_DIR=${CPUINFO}" "-DFXDIV_SOURCE_DIR=${FXDIV}"
  "-DPTHREADPOOL_SOURCE_DIR=${PTHREADPOOL}"
  "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
  "-DCMAKE_C_FLAGS=${C_FLAGS} -w -ffunction-sections -fdata-sections"
  "-DCMAKE_CXX_FLAGS=${CXX_FLAGS} -w -ffunction-sections -fdata-sections")
if(TOOLCHAIN)
  list(APPEND configure "-DCMAKE_TOOLCHAIN_FILE=${TOOLCHAIN}")
endif()
set(build "${CMAKE_COMMAND}" --build "${BUILD}" --parallel 4 --target XNNPACK)
foreach(step IN ITEMS configure build)
  execute_process(COMMAND ${${step}} RESULT_VARIABLE result
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "Cannot ${step} XNNPACK:\n${output}")
  endif()
endforeach()
set(MUST ON)
set(folder_of_libraries "${TO}")
foreach(name IN ITEMS XNNPACK microkernels-prod pthreadpool cpuinfo)
  file(GLOB_RECURSE FROM "${BUILD}/lib${name}.a")
  set(TO "${folder_of_libraries}/lib${name}.a")
  include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/store_in_cache.cmake")
endforeach()
file(REMOVE_RECURSE "${BUILD}")
