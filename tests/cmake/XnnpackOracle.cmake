# latimer_xnnpack_oracle: all of XNNPACK, built by its own CMake files, for the
# tests that compare our direct kernel calls with its public operators. This
# takes a minute or two and needs Python 3.
include_guard()
include(ExternalProject)
include(LatimerDependency)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
latimer_dependency(CPUINFO
  VERSION 877328f
  SPDX BSD-2-Clause PART tests
  PATHS include src cmake CMakeLists.txt libcpuinfo.pc.in LICENSE
  SHA256 5c6e90ae404185d187227d570f36851a98b4ec59890857192fc301edbfd36157
  DEBIAN c/cpuinfo/cpuinfo_0.0~git20250905.877328f.orig.tar.xz
  URL https://github.com/pytorch/cpuinfo/archive/877328f.tar.gz)

set(build "${PROJECT_BINARY_DIR}/xnnpack_oracle")
set(libraries "${build}/libXNNPACK.a" "${build}/libmicrokernels-prod.a"
  "${build}/pthreadpool/libpthreadpool.a" "${build}/cpuinfo/libcpuinfo.a")
set(flags "-w -ffunction-sections -fdata-sections")
ExternalProject_Add(latimer_xnnpack_oracle_build
  EXCLUDE_FROM_ALL ON
  SOURCE_DIR "${XNNPACK_SOURCE_DIR}"
  BINARY_DIR "${build}"
  PREFIX "${build}/steps"
  CMAKE_ARGS
    -DCMAKE_BUILD_TYPE=Release
    -DXNNPACK_LIBRARY_TYPE=static
    -DXNNPACK_BUILD_TESTS=OFF
    -DXNNPACK_BUILD_BENCHMARKS=OFF
    -DXNNPACK_BUILD_ALL_MICROKERNELS=OFF
    -DXNNPACK_ENABLE_KLEIDIAI=OFF
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON
    -DCMAKE_POLICY_VERSION_MINIMUM=3.5
    "-DCPUINFO_SOURCE_DIR=${CPUINFO_SOURCE_DIR}"
    "-DFXDIV_SOURCE_DIR=${FXDIV_SOURCE_DIR}"
    "-DPTHREADPOOL_SOURCE_DIR=${PTHREADPOOL_SOURCE_DIR}"
    "-DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE}"
    "-DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}"
    "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}"
    "-DCMAKE_C_FLAGS=${CMAKE_C_FLAGS} ${flags}"
    "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS} ${flags}"
  BUILD_COMMAND "${CMAKE_COMMAND}" --build <BINARY_DIR> --target XNNPACK
  INSTALL_COMMAND ""
  BUILD_BYPRODUCTS ${libraries})

add_library(latimer_xnnpack_oracle INTERFACE)
add_dependencies(latimer_xnnpack_oracle latimer_xnnpack_oracle_build)
target_link_libraries(latimer_xnnpack_oracle INTERFACE
  ${libraries} latimer_xnnpack_headers)
