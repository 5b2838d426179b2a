# latimer_gtest: GoogleTest with gmock, the system's or else the pinned one.
include(LatimerCachedLibrary)

if(NOT FETCHCONTENT_SOURCE_DIR_GOOGLETEST AND NOT CMAKE_CROSSCOMPILING)
  find_package(GTest 1.12 CONFIG QUIET)
endif()
add_library(latimer_gtest INTERFACE)
find_package(Threads REQUIRED)
if(TARGET GTest::gmock_main)
  target_link_libraries(latimer_gtest INTERFACE GTest::gmock_main)
  latimer_sbom_component(GOOGLETEST VERSION "${GTest_VERSION}"
    SPDX BSD-3-Clause PART tests)
else()
  latimer_dependency(GOOGLETEST
    VERSION 1.16.0
    SPDX BSD-3-Clause PART tests
    PATHS googletest/include googletest/src googlemock/include
      googlemock/src LICENSE
    SHA256 2f1b499e667b32748c1fcf90fe99dea67da090358a37d622a382e64876acb625
    DEBIAN g/googletest/googletest_1.16.0.orig.tar.gz
    URL https://github.com/google/googletest/archive/v1.16.0.tar.gz)
  latimer_cached_library(gmock_main
    KEY 1.16.0
    SOURCES
      "${GOOGLETEST_SOURCE_DIR}/googletest/src/gtest-all.cc"
      "${GOOGLETEST_SOURCE_DIR}/googlemock/src/gmock-all.cc"
      "${GOOGLETEST_SOURCE_DIR}/googlemock/src/gmock_main.cc"
    INCLUDES
      "${GOOGLETEST_SOURCE_DIR}/googletest/include"
      "${GOOGLETEST_SOURCE_DIR}/googlemock/include"
    PRIVATE_INCLUDES
      "${GOOGLETEST_SOURCE_DIR}/googletest"
      "${GOOGLETEST_SOURCE_DIR}/googlemock")
  target_link_libraries(latimer_gtest INTERFACE gmock_main Threads::Threads)
endif()
