// Zip files made for one test.
#ifndef LATIMER_TESTS_CONVERTER_ZIP_BYTES_H_
#define LATIMER_TESTS_CONVERTER_ZIP_BYTES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace latimer {

// `value` in `size` bytes, little-endian.
inline std::string Bytes(uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) {
    bytes += static_cast<char>(value);
    value >>= 8;
  }
  return bytes;
}

// An archive of stored entries, name and contents, with checksum 0: none.
inline std::string ZipBytes(
    const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string file;
  std::string directory;
  for (const auto& [name, data] : entries) {
    // Version, flags, method, time, checksum, sizes, length of name and extra.
    const std::string common = Bytes(20, 2) + Bytes(0, 2) + Bytes(0, 2) +
                               Bytes(0, 4) + Bytes(0, 4) +
                               Bytes(data.size(), 4) + Bytes(data.size(), 4) +
                               Bytes(name.size(), 2) + Bytes(0, 2);
    directory += "PK\x01\x02" + Bytes(20, 2) + common + Bytes(0, 10) +
                 Bytes(file.size(), 4) + name;
    file += "PK\x03\x04" + common + name + data;
  }
  return file + directory + "PK\x05\x06" + Bytes(0, 4) +
         Bytes(entries.size(), 2) + Bytes(entries.size(), 2) +
         Bytes(directory.size(), 4) + Bytes(file.size(), 4) + Bytes(0, 2);
}

}  // namespace latimer

#endif  // LATIMER_TESTS_CONVERTER_ZIP_BYTES_H_
