// A file mapped read-only, for as long as the object lives; or unpacked, if it
// is compressed.
#ifndef LATIMER_CONVERTER_INPUT_FILE_H_
#define LATIMER_CONVERTER_INPUT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace latimer {

class InputFile {
 public:
  // Throws ConversionError if the file cannot be opened, mapped or unpacked.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

  // Whether the file has other bytes, of gzip or Zstandard.
  bool compressed() const { return !unpacked_.empty(); }

  // Drops the pages of `part` of the bytes from this process's memory. They are
  // read from the file again if they are needed. Unpacked bytes stay.
  void Forget(std::span<const std::byte> part) const;

 private:
  std::span<const std::byte> bytes_;
  std::string unpacked_;
};

inline std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Value number `index` of those that `bytes` holds, at any alignment.
template <typename T>
T Load(std::span<const std::byte> bytes, uint64_t index = 0) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

}  // namespace latimer

#endif  // LATIMER_CONVERTER_INPUT_FILE_H_
