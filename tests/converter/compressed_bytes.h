// Compressed files made for one test, whose blocks are stored as they are.
#ifndef LATIMER_TESTS_CONVERTER_COMPRESSED_BYTES_H_
#define LATIMER_TESTS_CONVERTER_COMPRESSED_BYTES_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "tests/converter/zip_bytes.h"

namespace latimer {

// RFC 1952, 1951.
inline std::string GzipBytes(const std::string& data) {
  std::string out("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", 10);
  size_t at = 0;
  do {
    const size_t size = std::min<size_t>(data.size() - at, 0xffff);
    out += Bytes(at + size == data.size() ? 1 : 0, 1) + Bytes(size, 2) +
           Bytes(~size, 2) + data.substr(at, size);
    at += size;
  } while (at < data.size());
  uint32_t crc = ~uint32_t{0};
  for (const char c : data) {
    crc ^= static_cast<uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0);
    }
  }
  return out + Bytes(~crc, 4) + Bytes(data.size(), 4);
}

// RFC 8878: a window of 128 KiB, which is the size of a block.
inline constexpr char kZstandardHeader[] = "\x28\xb5\x2f\xfd\x00\x38";
inline constexpr size_t kZstandardBlock = size_t{1} << 17;

inline std::string ZstandardBytes(const std::string& data) {
  std::string out(kZstandardHeader, 6);
  size_t at = 0;
  do {
    const size_t size = std::min(data.size() - at, kZstandardBlock);
    out += Bytes(size << 3 | (at + size == data.size() ? 1 : 0), 3) +
           data.substr(at, size);
    at += size;
  } while (at < data.size());
  return out;
}

// Blocks of one byte, repeated.
inline std::string ZstandardZeros(int blocks) {
  std::string out(kZstandardHeader, 6);
  for (int i = 0; i < blocks; ++i) {
    constexpr uint64_t kRepeated = 2;
    out += Bytes(kZstandardBlock << 3 | kRepeated | (i + 1 == blocks), 3) +
           std::string(1, '\0');
  }
  return out;
}

}  // namespace latimer

#endif  // LATIMER_TESTS_CONVERTER_COMPRESSED_BYTES_H_
