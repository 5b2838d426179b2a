// A file that appears under its name only when it is finished.
#ifndef LATIMER_CONVERTER_OUTPUT_FILE_H_
#define LATIMER_CONVERTER_OUTPUT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace latimer {

// Until it is committed, it has a temporary name next to `path`,
// `path`.partial.PID.N, and is removed with this object. If the process is
// killed, the next one that writes `path` removes it. Its bytes are mapped, so
// the system can write them to the disk instead of keeping them in memory.
class OutputFile {
 public:
  // Throws ConversionError if the file cannot be created, or if `path` exists
  // and is not a regular file.
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Allocates `bytes` zero bytes on the disk and maps them; called once. Throws
  // ConversionError if the disk is full, which is thus known before the work.
  void Reserve(uint64_t bytes);

  // Starts on a page boundary. Empty before Reserve.
  std::span<std::byte> bytes() const { return bytes_; }

  const std::filesystem::path& path() const { return path_; }

  // Syncs and renames the file; bytes() stay valid. Throws ConversionError.
  void Commit();

 private:
  [[noreturn]] void Fail(const char* what, int error) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // Empty once it is renamed.
  int file_ = -1;
  std::span<std::byte> bytes_;
};

// Writes a file such that `path` never has a part of it. Throws
// ConversionError.
void WriteFileAtomically(const std::filesystem::path& path,
                         std::span<const std::byte> bytes);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_OUTPUT_FILE_H_
