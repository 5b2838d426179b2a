# Pins of everything Latimer does not write itself, and one target for each:
# latimer_flatbuffers, latimer_xxhash, latimer_sodium (where it can be had),
# latimer_nlohmann_json, latimer_cli11, latimer_protozero, latimer_zip,
# latimer_yaml, latimer_gtest; XNNPACK's are in LatimerXnnpack.cmake.
include_guard()
include(LatimerDependency)
include(LatimerCachedLibrary)

# An INTERFACE target for a header-only library in `dir`.
function(latimer_header_library target dir)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE "${dir}")
endfunction()

# Sets `result` to the version that a header's macros spell, in their order.
function(latimer_header_version header macros result)
  file(STRINGS "${header}" lines REGEX "#define +${macros} +[0-9]+")
  string(REGEX REPLACE "[^;]* ([0-9]+)[^;]*" "\\1" numbers "${lines}")
  string(REPLACE ";" "." version "${numbers}")
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

# ---- Runtime and converter -------------------------------------------------

latimer_dependency(FLATBUFFERS
  VERSION 23.5.26
  SPDX Apache-2.0 PART runtime
  PATHS include src grpc/src/compiler CMake CMakeLists.txt LICENSE
  TREE_SHA256
    dbe1a95674d5a2aaabdd227fbcd48675af45f1ded59dd7675cc389b737416f54
  DEBIAN_PACKAGE flatbuffers
  DEBIAN_SHA256
    0d309fd2c47bbbebd450e68d1419c336d53d1b8f5ce47e1f1f7f28f452fc6f3b
  URL https://github.com/google/flatbuffers/archive/v23.5.26.tar.gz)
latimer_header_library(latimer_flatbuffers "${FLATBUFFERS_SOURCE_DIR}/include")

find_path(LATIMER_XXHASH_DIR xxh3.h NO_CACHE)
if(LATIMER_XXHASH_DIR AND NOT CMAKE_CROSSCOMPILING
    AND NOT FETCHCONTENT_SOURCE_DIR_XXHASH)
  latimer_header_library(latimer_xxhash "${LATIMER_XXHASH_DIR}")
  latimer_header_version("${LATIMER_XXHASH_DIR}/xxhash.h"
    "XXH_VERSION_(MAJOR|MINOR|RELEASE)" version)
  latimer_sbom_component(XXHASH VERSION "${version}"
    SPDX BSD-2-Clause PART runtime)
else()
  latimer_dependency(XXHASH
    VERSION 0.8.3
    SPDX BSD-2-Clause PART runtime
    PATHS xxhash.h LICENSE
    TREE_SHA256
      3b9b42e21b3cf36cf1f76acf3bf88b9507d0cba91d93d1d12caae17f69e17bf1
    DEBIAN_PACKAGE xxhash
    DEBIAN_SHA256
      aae608dfe8213dfd05d909a57718ef82f30722c392344583d3f39050c7f29a80
    URL https://github.com/Cyan4973/xxHash/archive/v0.8.3.tar.gz)
  latimer_header_library(latimer_xxhash "${XXHASH_SOURCE_DIR}")
endif()

# Ed25519 of libsodium, for signatures. Always the pinned sources: they are
# seven files. What the scanners say of 1.0.18 (CVE-2025-69277) is in functions
# that are not called: Ed25519's own do not ask for the main subgroup.
if(LATIMER_SIGNATURES)
  latimer_dependency(SODIUM OPTIONAL
    VERSION 1.0.18
    SPDX ISC PART programs
    PATHS src/libsodium/crypto_core/ed25519/ref10
      src/libsodium/crypto_sign/ed25519/ref10 src/libsodium/include/sodium
      src/libsodium/crypto_hash/sha512/cp/hash_sha512_cp.c
      src/libsodium/crypto_verify/sodium/verify.c
      src/libsodium/sodium/utils.c LICENSE
    TREE_SHA256
      6566b874dbf95ecf908bce6160cdbaba629901309156ce154a80246d94666c69
    DEBIAN_PACKAGE libsodium
    DEBIAN_SHA256
      d59323c6b712a1519a5daf710b68f5e7fde57040845ffec53850911f10a5d4f4
    # Upstream's "1.0.18" is a branch, which moves.
    URL https://github.com/jedisct1/libsodium/archive/1.0.18-RELEASE.tar.gz)
  if(NOT SODIUM_SOURCE_DIR)
    message(WARNING "${SODIUM_WHY}\n"
      "THIS BUILD HAS NO SIGNATURES: latimer-convert --sign and latimer "
      "--require-signature are refused. -DLATIMER_SIGNATURES=OFF takes that "
      "without this warning.")
  endif()
endif()
if(SODIUM_SOURCE_DIR)
  set(latimer_sodium_definitions SODIUM_STATIC)
  if(CMAKE_SIZEOF_VOID_P EQUAL 8)
    list(APPEND latimer_sodium_definitions HAVE_TI_MODE)  # 128-bit products.
  endif()
  set(latimer_sodium "${SODIUM_SOURCE_DIR}/src/libsodium")
  set(latimer_sodium_left_out "${CMAKE_CURRENT_LIST_DIR}/sodium/left_out.c")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    "${latimer_sodium_left_out}")
  file(SHA256 "${latimer_sodium_left_out}" latimer_left_out_sha256)
  latimer_cached_library(latimer_sodium CALL_GRAPH
    KEY "1.0.18 ${latimer_left_out_sha256}"
    SOURCES
      "${latimer_sodium}/crypto_core/ed25519/ref10/ed25519_ref10.c"
      "${latimer_sodium}/crypto_hash/sha512/cp/hash_sha512_cp.c"
      "${latimer_sodium}/crypto_sign/ed25519/ref10/keypair.c"
      "${latimer_sodium}/crypto_sign/ed25519/ref10/open.c"
      "${latimer_sodium}/crypto_sign/ed25519/ref10/sign.c"
      "${latimer_sodium}/crypto_verify/sodium/verify.c"
      "${latimer_sodium}/sodium/utils.c" "${latimer_sodium_left_out}"
    INCLUDES "${latimer_sodium}/include"
    PRIVATE_INCLUDES "${latimer_sodium}/include/sodium"
    DEFINITIONS ${latimer_sodium_definitions})
endif()

# ---- Programs ---------------------------------------------------------------

if(NOT FETCHCONTENT_SOURCE_DIR_NLOHMANN_JSON)
  find_package(nlohmann_json 3.11 QUIET)
endif()
if(TARGET nlohmann_json::nlohmann_json)
  add_library(latimer_nlohmann_json INTERFACE)
  target_link_libraries(latimer_nlohmann_json
    INTERFACE nlohmann_json::nlohmann_json)
  latimer_sbom_component(NLOHMANN_JSON VERSION "${nlohmann_json_VERSION}"
    SPDX MIT PART programs)
else()
  latimer_dependency(NLOHMANN_JSON
    VERSION 3.11.3
    SPDX MIT PART programs
    PATHS include LICENSE.MIT
    TREE_SHA256
      590c4bda0acd445f13043c5ae9b4bbd456e856e5de7e157cdb1a83feadbcc999
    DEBIAN_PACKAGE nlohmann-json3
    DEBIAN_SHA256
      0d8ef5af7f9794e3263480193c491549b2ba6cc74bb018906202ada498a79406
    URL https://github.com/nlohmann/json/archive/v3.11.3.tar.gz)
  latimer_header_library(latimer_nlohmann_json
    "${NLOHMANN_JSON_SOURCE_DIR}/include")
endif()

# ---- Converter only ---------------------------------------------------------

if(LATIMER_CONVERTER)
  if(NOT FETCHCONTENT_SOURCE_DIR_CLI11)
    find_package(CLI11 2.1 QUIET)
  endif()
  if(TARGET CLI11::CLI11)
    add_library(latimer_cli11 INTERFACE)
    target_link_libraries(latimer_cli11 INTERFACE CLI11::CLI11)
    latimer_sbom_component(CLI11 VERSION "${CLI11_VERSION}"
      SPDX BSD-3-Clause PART converter)
  else()
    latimer_dependency(CLI11
      VERSION 2.4.1
      SPDX BSD-3-Clause PART converter
      PATHS include LICENSE
      TREE_SHA256
        c76c80f8b58b9cb88a272c92e1ab8b6af3c5fb61b1540f4a715be23dc8d2297a
      DEBIAN_PACKAGE cli11
      DEBIAN_SHA256
        0b8fbf2398875f15f30a675c7f412123a2aaa38df2863e991de72004fd5f1292
      URL https://github.com/CLIUtils/CLI11/archive/v2.4.1.tar.gz)
    latimer_header_library(latimer_cli11 "${CLI11_SOURCE_DIR}/include")
  endif()

  if(NOT FETCHCONTENT_SOURCE_DIR_PROTOZERO)
    find_path(LATIMER_PROTOZERO_DIR protozero/pbf_reader.hpp NO_CACHE)
  endif()
  if(LATIMER_PROTOZERO_DIR)
    latimer_header_library(latimer_protozero "${LATIMER_PROTOZERO_DIR}")
    latimer_header_version("${LATIMER_PROTOZERO_DIR}/protozero/version.hpp"
      "PROTOZERO_VERSION_(MAJOR|MINOR|PATCH)" version)
    latimer_sbom_component(PROTOZERO VERSION "${version}"
      SPDX BSD-2-Clause PART converter)
  else()
    latimer_dependency(PROTOZERO
      VERSION 1.8.1
      SPDX BSD-2-Clause PART converter
      PATHS include LICENSE.md
      TREE_SHA256
        6371454f7b14df561b7aa08b30ccea9c1db48f1cfddc878119493bd14f5f00a9
      DEBIAN_PACKAGE protozero
      DEBIAN_SHA256
        6c7a896f1dc08435e8cd4f3780ff688cd0bfce6890599b755f6f3cb36398dc25
      URL https://github.com/mapbox/protozero/archive/v1.8.1.tar.gz)
    latimer_header_library(latimer_protozero "${PROTOZERO_SOURCE_DIR}/include")
  endif()

  # zlib's minizip tells where an entry lies in the file. Always the pinned
  # sources: systems have minizip rarely, or a fork of it under its name.
  latimer_dependency(ZLIB
    VERSION 1.3.1
    SPDX Zlib PART converter
    PATHS adler32.c crc32.c crc32.h gzguts.h inffast.c inffast.h inffixed.h
      inflate.c inflate.h inftrees.c inftrees.h zconf.h zlib.h zutil.c zutil.h
      contrib/minizip/ioapi.c contrib/minizip/ioapi.h
      contrib/minizip/unzip.c contrib/minizip/unzip.h LICENSE
    TREE_SHA256
      229fb74f1dd5f628f9d14dda727cfbf7b89d505fec2f188840b102b2c243e55d
    DEBIAN_PACKAGE zlib
    DEBIAN_SHA256
      60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb
    URL https://github.com/madler/zlib/archive/v1.3.1.tar.gz)
  set(latimer_minizip "${ZLIB_SOURCE_DIR}/contrib/minizip")
  latimer_cached_library(latimer_zip
    KEY 1.3.1
    SOURCES
      "${ZLIB_SOURCE_DIR}/adler32.c" "${ZLIB_SOURCE_DIR}/crc32.c"
      "${ZLIB_SOURCE_DIR}/inffast.c" "${ZLIB_SOURCE_DIR}/inflate.c"
      "${ZLIB_SOURCE_DIR}/inftrees.c" "${ZLIB_SOURCE_DIR}/zutil.c"
      "${latimer_minizip}/ioapi.c" "${latimer_minizip}/unzip.c"
    INCLUDES "${ZLIB_SOURCE_DIR}" "${latimer_minizip}"
    DEFINITIONS NOUNCRYPT)

  # libyaml's parser. Always the pinned sources: they are four files.
  latimer_dependency(YAML
    VERSION 0.2.5
    SPDX MIT PART converter
    PATHS src/api.c src/parser.c src/reader.c src/scanner.c src/yaml_private.h
      include/yaml.h License
    TREE_SHA256
      a667c0c3de1b9647bd7587f2165233498001ab5335f657dd853e4cd8b4a8c879
    DEBIAN_PACKAGE libyaml
    DEBIAN_SHA256
      fa240dbf262be053f3898006d502d514936c818e422afdcf33921c63bed9bf2e
    URL https://github.com/yaml/libyaml/archive/0.2.5.tar.gz)
  latimer_cached_library(latimer_yaml
    KEY 0.2.5
    SOURCES
      "${YAML_SOURCE_DIR}/src/api.c" "${YAML_SOURCE_DIR}/src/parser.c"
      "${YAML_SOURCE_DIR}/src/reader.c" "${YAML_SOURCE_DIR}/src/scanner.c"
    INCLUDES "${YAML_SOURCE_DIR}/include"
    DEFINITIONS YAML_DECLARE_STATIC YAML_VERSION_MAJOR=0 YAML_VERSION_MINOR=2
      YAML_VERSION_PATCH=5 YAML_VERSION_STRING=\"0.2.5\")
endif()

# ---- Tests only -------------------------------------------------------------

if(LATIMER_TESTS)
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
      TREE_SHA256
        2f1b499e667b32748c1fcf90fe99dea67da090358a37d622a382e64876acb625
      DEBIAN_PACKAGE googletest
      DEBIAN_SHA256
        2f54382b5d13d6cd0be2afc524f1e510d37f8ba78c2d439c5bea64ef37e30d01
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
endif()
