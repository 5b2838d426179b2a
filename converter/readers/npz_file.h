// NumPy's .npz: a zip file of one .npy file per array, as Marian saves models.
// Source: numpy/lib/format.py; marian-dev's src/3rd_party/cnpy.
#ifndef LATIMER_CONVERTER_READERS_NPZ_FILE_H_
#define LATIMER_CONVERTER_READERS_NPZ_FILE_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "converter/readers/tensor_file.h"
#include "converter/readers/zip_file.h"

namespace latimer {

class NpzFile : public TensorFile {
 public:
  // Arrays of floats become tensors, an array named "special:..." becomes a
  // text, and arrays of other types are unreadable. Verifies every array's
  // checksum. Throws ConversionError if the file or a header is damaged.
  explicit NpzFile(const std::filesystem::path& path);

 private:
  void AddArray(const std::string& name, std::span<const std::byte> bytes);

  std::string path_;
  ZipFile zip_;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_NPZ_FILE_H_
