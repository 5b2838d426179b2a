# Pins of everything Latimer does not write itself, and one target for each:
# latimer_flatbuffers, latimer_xxhash, latimer_sodium (where it can be had),
# latimer_nlohmann_json, latimer_cli11, latimer_protozero, latimer_zip,
# latimer_zstd, latimer_yaml; XNNPACK's are in LatimerXnnpack.cmake, those of the tests in
# tests/cmake.
include_guard()
include(LatimerDependency)
include(LatimerOptions)

# ---- Runtime and converter -------------------------------------------------

latimer_dependency(FLATBUFFERS
  VERSION 23.5.26
  SPDX Apache-2.0 PART runtime
  PATHS include src grpc/src/compiler CMake CMakeLists.txt LICENSE
  SHA256 dbe1a95674d5a2aaabdd227fbcd48675af45f1ded59dd7675cc389b737416f54
  DEBIAN f/flatbuffers/flatbuffers_23.5.26+dfsg.orig.tar.xz
  URL https://github.com/google/flatbuffers/archive/v23.5.26.tar.gz)
latimer_header_library(latimer_flatbuffers "${FLATBUFFERS_SOURCE_DIR}/include")

latimer_dependency(XXHASH
  VERSION 0.8.3
  SPDX BSD-2-Clause PART runtime
  PATHS xxhash.h LICENSE
  SHA256 3b9b42e21b3cf36cf1f76acf3bf88b9507d0cba91d93d1d12caae17f69e17bf1
  DEBIAN x/xxhash/xxhash_0.8.3.orig.tar.gz
  URL https://github.com/Cyan4973/xxHash/archive/v0.8.3.tar.gz)
latimer_header_library(latimer_xxhash "${XXHASH_SOURCE_DIR}")
if(LATIMER_BARE MATCHES "^was[im]$")  # It would take SIMD128 for NEON.
  target_compile_definitions(latimer_xxhash INTERFACE XXH_VECTOR=0)
  target_include_directories(latimer_xxhash INTERFACE
    "${CMAKE_CURRENT_LIST_DIR}/wasm32")
endif()

# Ed25519 of libsodium, for signatures. The vulnerability that scanners report
# for 1.0.18 (CVE-2025-69277) is in functions that are not called: Ed25519 does
# not check for the main subgroup.
if(LATIMER_SIGNATURES)
  latimer_dependency(SODIUM OPTIONAL
    VERSION 1.0.18
    SPDX ISC PART signatures
    PATHS src/libsodium/crypto_core/ed25519/ref10
      src/libsodium/crypto_sign/ed25519/ref10 src/libsodium/include/sodium
      src/libsodium/crypto_hash/sha512/cp/hash_sha512_cp.c
      src/libsodium/crypto_verify/sodium/verify.c
      src/libsodium/sodium/utils.c LICENSE
    SHA256 6566b874dbf95ecf908bce6160cdbaba629901309156ce154a80246d94666c69
    DEBIAN libs/libsodium/libsodium_1.0.18.orig.tar.gz
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
  set(latimer_sodium "${SODIUM_SOURCE_DIR}/src/libsodium")
  latimer_third_party_library(latimer_sodium
    SOURCES
      "${latimer_sodium}/crypto_core/ed25519/ref10/ed25519_ref10.c"
      "${latimer_sodium}/crypto_hash/sha512/cp/hash_sha512_cp.c"
      "${latimer_sodium}/crypto_sign/ed25519/ref10/keypair.c"
      "${latimer_sodium}/crypto_sign/ed25519/ref10/open.c"
      "${latimer_sodium}/crypto_sign/ed25519/ref10/sign.c"
      "${latimer_sodium}/crypto_verify/sodium/verify.c"
      "${latimer_sodium}/sodium/utils.c"
      "${CMAKE_CURRENT_LIST_DIR}/sodium/left_out.c"
    INCLUDES "${latimer_sodium}/include"
    PRIVATE_INCLUDES "${latimer_sodium}/include/sodium"
    DEFINITIONS SODIUM_STATIC  # 128-bit products:
      $<$<EQUAL:${CMAKE_SIZEOF_VOID_P},8>:HAVE_TI_MODE>)
  set_target_properties(latimer_sodium PROPERTIES EXPORT_COMPILE_COMMANDS ON)
  latimer_write_call_graph(latimer_sodium)
endif()

# ---- Programs ---------------------------------------------------------------

set(part programs)
if(LATIMER_BARE AND NOT LATIMER_CONVERTER)
  set(part tests)
endif()
latimer_dependency(NLOHMANN_JSON
  VERSION 3.11.3
  SPDX MIT PART ${part}
  PATHS include LICENSE.MIT
  SHA256 590c4bda0acd445f13043c5ae9b4bbd456e856e5de7e157cdb1a83feadbcc999
  DEBIAN n/nlohmann-json3/nlohmann-json3_3.11.3.orig.tar.gz
  URL https://github.com/nlohmann/json/archive/v3.11.3.tar.gz)
latimer_header_library(latimer_nlohmann_json
  "${NLOHMANN_JSON_SOURCE_DIR}/include")

# ---- Converter only ---------------------------------------------------------

if(LATIMER_CONVERTER)
  latimer_dependency(CLI11
    VERSION 2.4.1
    SPDX BSD-3-Clause PART converter
    PATHS include LICENSE
    SHA256 c76c80f8b58b9cb88a272c92e1ab8b6af3c5fb61b1540f4a715be23dc8d2297a
    DEBIAN c/cli11/cli11_2.4.1+ds.orig.tar.xz
    URL https://github.com/CLIUtils/CLI11/archive/v2.4.1.tar.gz)
  latimer_header_library(latimer_cli11 "${CLI11_SOURCE_DIR}/include")
  latimer_dependency(PROTOZERO
    VERSION 1.8.1
    SPDX BSD-2-Clause PART converter
    PATHS include LICENSE.md
    SHA256 6371454f7b14df561b7aa08b30ccea9c1db48f1cfddc878119493bd14f5f00a9
    DEBIAN p/protozero/protozero_1.8.1.orig.tar.gz
    URL https://github.com/mapbox/protozero/archive/v1.8.1.tar.gz)
  latimer_header_library(latimer_protozero "${PROTOZERO_SOURCE_DIR}/include")

  # zlib's minizip finds the place of an entry in the file; latimer-serve also
  # writes archives.
  latimer_dependency(ZLIB
    VERSION 1.3.1
    SPDX Zlib PART converter
    PATHS adler32.c crc32.c crc32.h deflate.c deflate.h gzguts.h inffast.c inffast.h inffixed.h
      inflate.c inflate.h inftrees.c inftrees.h trees.c trees.h zconf.h zlib.h
      zutil.c zutil.h
      contrib/minizip/ioapi.c contrib/minizip/ioapi.h
      contrib/minizip/unzip.c contrib/minizip/unzip.h
      contrib/minizip/zip.c contrib/minizip/zip.h LICENSE
    SHA256 d8048cf71e5e46e328138f475c68edc64fb2062aa5114c49279dd8218f85faab
    DEBIAN z/zlib/zlib_1.3.dfsg+really1.3.1.orig.tar.gz
    URL https://github.com/madler/zlib/archive/v1.3.1.tar.gz)
  set(latimer_minizip "${ZLIB_SOURCE_DIR}/contrib/minizip")
  latimer_third_party_library(latimer_zip
    SOURCES
      "${ZLIB_SOURCE_DIR}/adler32.c" "${ZLIB_SOURCE_DIR}/crc32.c"
      "${ZLIB_SOURCE_DIR}/deflate.c"
      "${ZLIB_SOURCE_DIR}/inffast.c" "${ZLIB_SOURCE_DIR}/inflate.c"
      "${ZLIB_SOURCE_DIR}/inftrees.c" "${ZLIB_SOURCE_DIR}/trees.c"
      "${ZLIB_SOURCE_DIR}/zutil.c"
      "${latimer_minizip}/ioapi.c" "${latimer_minizip}/unzip.c"
      "${latimer_minizip}/zip.c"
    INCLUDES "${ZLIB_SOURCE_DIR}" "${latimer_minizip}"
    DEFINITIONS NOUNCRYPT NOCRYPT)

  # Only what unpacks.
  latimer_dependency(ZSTD
    VERSION 1.5.7
    SPDX BSD-3-Clause PART converter
    PATHS lib/common lib/decompress lib/zstd.h lib/zstd_errors.h LICENSE
    SHA256 e07fe4bb305e0026ddb3390eb8f6ee7f55d656d8b40df5c9ce8eb8c73084fd94
    DEBIAN libz/libzstd/libzstd_1.5.7+dfsg.orig.tar.xz
    URL https://github.com/facebook/zstd/archive/v1.5.7.tar.gz)
  latimer_third_party_library(latimer_zstd
    SOURCES
      "${ZSTD_SOURCE_DIR}/lib/common/entropy_common.c"
      "${ZSTD_SOURCE_DIR}/lib/common/error_private.c"
      "${ZSTD_SOURCE_DIR}/lib/common/fse_decompress.c"
      "${ZSTD_SOURCE_DIR}/lib/common/xxhash.c"
      "${ZSTD_SOURCE_DIR}/lib/common/zstd_common.c"
      "${ZSTD_SOURCE_DIR}/lib/decompress/huf_decompress.c"
      "${ZSTD_SOURCE_DIR}/lib/decompress/zstd_ddict.c"
      "${ZSTD_SOURCE_DIR}/lib/decompress/zstd_decompress.c"
      "${ZSTD_SOURCE_DIR}/lib/decompress/zstd_decompress_block.c"
    INCLUDES "${ZSTD_SOURCE_DIR}/lib"
    DEFINITIONS ZSTD_DISABLE_ASM)

  latimer_dependency(YAML
    VERSION 0.2.5
    SPDX MIT PART converter
    PATHS src/api.c src/parser.c src/reader.c src/scanner.c src/yaml_private.h
      include/yaml.h License
    SHA256 a667c0c3de1b9647bd7587f2165233498001ab5335f657dd853e4cd8b4a8c879
    DEBIAN liby/libyaml/libyaml_0.2.5.orig.tar.gz
    URL https://github.com/yaml/libyaml/archive/0.2.5.tar.gz)
  latimer_third_party_library(latimer_yaml
    SOURCES
      "${YAML_SOURCE_DIR}/src/api.c" "${YAML_SOURCE_DIR}/src/parser.c"
      "${YAML_SOURCE_DIR}/src/reader.c" "${YAML_SOURCE_DIR}/src/scanner.c"
    INCLUDES "${YAML_SOURCE_DIR}/include"
    DEFINITIONS YAML_DECLARE_STATIC YAML_VERSION_MAJOR=0 YAML_VERSION_MINOR=2
      YAML_VERSION_PATCH=5 YAML_VERSION_STRING=\"0.2.5\")
endif()
