# latimer_xnnpack_oracle: all of XNNPACK, built by its own CMake files, for the
# tests that compare our direct kernel calls with its public operators. This
# takes a minute or two once per machine and needs Python 3.
include_guard()
include(LatimerDependency)
include(LatimerCachedLibrary)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
latimer_dependency(CPUINFO
  VERSION 877328f
  SPDX BSD-2-Clause PART tests
  PATHS include src cmake CMakeLists.txt libcpuinfo.pc.in LICENSE
  SHA256 5c6e90ae404185d187227d570f36851a98b4ec59890857192fc301edbfd36157
  DEBIAN c/cpuinfo/cpuinfo_0.0~git20250905.877328f.orig.tar.xz
  URL https://github.com/pytorch/cpuinfo/archive/877328f.tar.gz)

set(latimer_oracle_options
  -DCMAKE_BUILD_TYPE=Release
  -DXNNPACK_LIBRARY_TYPE=static
  -DXNNPACK_BUILD_TESTS=OFF
  -DXNNPACK_BUILD_BENCHMARKS=OFF
  -DXNNPACK_BUILD_ALL_MICROKERNELS=OFF
  -DXNNPACK_ENABLE_KLEIDIAI=OFF
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON
  -DCMAKE_POLICY_VERSION_MINIMUM=3.5)
latimer_cache_folder(latimer_xnnpack_oracle
  "4ea82e5 560c60d 877328f ${latimer_oracle_options}" latimer_oracle_dir)
set(latimer_oracle_libraries "")
foreach(name IN ITEMS XNNPACK microkernels-prod pthreadpool cpuinfo)
  list(APPEND latimer_oracle_libraries "${latimer_oracle_dir}/lib${name}.a")
endforeach()

add_custom_command(OUTPUT ${latimer_oracle_libraries}
  COMMAND "${CMAKE_COMMAND}" -E env --unset=MAKEFLAGS --unset=MFLAGS
    --unset=MAKELEVEL "${CMAKE_COMMAND}"
    "-DSOURCE=${XNNPACK_SOURCE_DIR}"
    "-DBUILD=${CMAKE_BINARY_DIR}/_xnnpack_oracle"
    "-DTO=${latimer_oracle_dir}"
    "-DOPTIONS=${latimer_oracle_options}"
    "-DC_COMPILER=${CMAKE_C_COMPILER}" "-DCXX_COMPILER=${CMAKE_CXX_COMPILER}"
    "-DC_FLAGS=${CMAKE_C_FLAGS}" "-DCXX_FLAGS=${CMAKE_CXX_FLAGS}"
    "-DTOOLCHAIN=${CMAKE_TOOLCHAIN_FILE}"
    "-DCPUINFO=${CPUINFO_SOURCE_DIR}" "-DFXDIV=${FXDIV_SOURCE_DIR}"
    "-DPTHREADPOOL=${PTHREADPOOL_SOURCE_DIR}"
    -P "${CMAKE_CURRENT_LIST_DIR}/build_xnnpack_oracle.cmake"
  COMMENT "Building all of XNNPACK, about a minute" VERBATIM)
add_custom_target(latimer_xnnpack_oracle_files
  DEPENDS ${latimer_oracle_libraries})

add_library(latimer_xnnpack_oracle INTERFACE)
add_dependencies(latimer_xnnpack_oracle latimer_xnnpack_oracle_files)
target_link_libraries(latimer_xnnpack_oracle INTERFACE
  ${latimer_oracle_libraries} latimer_xnnpack_headers)
