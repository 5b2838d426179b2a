// A mapped zip archive. Uncompressed entries are views of the file.
#ifndef LATIMER_CONVERTER_READERS_ZIP_FILE_H_
#define LATIMER_CONVERTER_READERS_ZIP_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "converter/input_file.h"

namespace latimer {

class ZipFile {
 public:
  struct Entry {
    uint64_t size = 0;  // Bytes, inflated.
    std::span<const std::byte> stored;
    uint32_t crc = 0;
    bool deflated = false;
  };

  // Maps the file and reads its directory, also in zip64. Throws
  // ConversionError if the directory is damaged, or if an entry is outside the
  // file, encrypted, or compressed by another method than deflate.
  explicit ZipFile(const std::filesystem::path& path);

  // By name.
  const std::map<std::string, Entry>& entries() const { return entries_; }

  // The bytes of an entry, with verified checksum, valid as long as this
  // object: a view of the file or, for a deflated entry, a buffer. Throws
  // ConversionError if there is no such entry or it is damaged.
  std::span<const std::byte> Read(const std::string& name);

  // The mapping that `bytes`, a result of Read, is a view of; null for a
  // buffer.
  const InputFile* FileOf(std::span<const std::byte> bytes) const;

 private:
  void ReadDirectory();

  std::filesystem::path path_;
  InputFile file_;
  std::map<std::string, Entry> entries_;
  // Entries that were read before.
  std::map<std::string, std::span<const std::byte>> read_;
  std::vector<std::vector<std::byte>> inflated_;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_ZIP_FILE_H_
