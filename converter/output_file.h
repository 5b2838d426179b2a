// A file that appears under its name only when it is finished.
#ifndef LATIMER_CONVERTER_OUTPUT_FILE_H_
#define LATIMER_CONVERTER_OUTPUT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace latimer {

// Lies under a temporary name beside `path`, `path`.partial.PID.N, where it is
// removed with this object unless it was committed; where the process was
// killed, the next one that writes `path` removes it. Its bytes are a mapping:
// they take no memory that the system could not write to the disk.
class OutputFile {
 public:
  // Throws ConversionError if the file cannot be created there, or if `path`
  // is something else than a file, which must not be replaced by one.
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Takes `bytes` of the disk and maps them, zeros; once. Throws
  // ConversionError, so that a full disk is known before the work.
  void Reserve(uint64_t bytes);

  // Begins at a multiple of a page. Empty before Reserve.
  std::span<std::byte> bytes() const { return bytes_; }

  const std::filesystem::path& path() const { return path_; }

  // Syncs and renames; bytes() stay. Throws ConversionError.
  void Commit();

 private:
  [[noreturn]] void Fail(const char* what, int error) const;

  std::filesystem::path path_;
  std::string temporary_;  // Empty once it is renamed.
  int file_ = -1;
  std::span<std::byte> bytes_;
};

// No partial file is ever seen under `path`. Throws ConversionError.
void WriteFileAtomically(const std::filesystem::path& path,
                         std::span<const std::byte> bytes);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_OUTPUT_FILE_H_
