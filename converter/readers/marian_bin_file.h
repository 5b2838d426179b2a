// Marian's .bin: a header, names, shapes, and numbers that may be int8.
// Sources: marian-dev's src/common/binary.cpp and types.h; for int8,
// src/tensors/cpu/expression_graph_packable.h there and in browsermt's fork.
#ifndef LATIMER_CONVERTER_READERS_MARIAN_BIN_FILE_H_
#define LATIMER_CONVERTER_READERS_MARIAN_BIN_FILE_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "converter/mapped_file.h"
#include "converter/readers/tensor_file.h"

namespace latimer {

class MarianBinFile : public TensorFile {
 public:
  // Whether a file that begins with these bytes is in this format.
  static bool Recognizes(std::string_view begin);

  // intgemm8 matrices become kInt8 with the scale 1 / multiplier. Skips the
  // scales of activations (..._QuantMultA), because Latimer measures each row.
  // Throws ConversionError if the file is damaged, encrypted, or packed for one
  // kind of CPU.
  explicit MarianBinFile(const std::filesystem::path& path);

 private:
  struct Header {
    uint64_t name_bytes;
    uint64_t type;
    uint64_t dimensions;
    uint64_t data_bytes;
  };

  void AddItem(const std::string& name, uint64_t type,
               const std::vector<uint64_t>& shape,
               std::span<const std::byte> data);

  std::string path_;
  MappedFile file_;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MARIAN_BIN_FILE_H_
