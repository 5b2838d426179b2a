# latimer_gtest: GoogleTest with gmock, pinned.
find_package(Threads REQUIRED)
latimer_dependency(GOOGLETEST
  VERSION 1.16.0
  SPDX BSD-3-Clause PART tests
  PATHS googletest/include googletest/src googlemock/include googlemock/src
    LICENSE
  SHA256 2f1b499e667b32748c1fcf90fe99dea67da090358a37d622a382e64876acb625
  DEBIAN g/googletest/googletest_1.16.0.orig.tar.gz
  URL https://github.com/google/googletest/archive/v1.16.0.tar.gz)
latimer_third_party_library(latimer_gtest
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
target_link_libraries(latimer_gtest PUBLIC Threads::Threads)
