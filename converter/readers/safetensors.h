// The safetensors format: an 8-byte length, a JSON header, raw tensors.
// Source: the format's description in the huggingface/safetensors repository.
#ifndef LATIMER_CONVERTER_READERS_SAFETENSORS_H_
#define LATIMER_CONVERTER_READERS_SAFETENSORS_H_

#include <filesystem>

#include "converter/mapped_file.h"
#include "converter/readers/tensor_file.h"

namespace latimer {

class SafetensorsFile : public TensorFile {
 public:
  // Maps the file and checks its header. Throws ConversionError if it is not a
  // safetensors file or is truncated.
  explicit SafetensorsFile(const std::filesystem::path& path);

 private:
  MappedFile file_;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_SAFETENSORS_H_
