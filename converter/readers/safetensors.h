// The safetensors format: an 8-byte length, a JSON header, raw tensors.
// Source: the format's description in the huggingface/safetensors repository.
#ifndef LATIMER_CONVERTER_READERS_SAFETENSORS_H_
#define LATIMER_CONVERTER_READERS_SAFETENSORS_H_

#include <filesystem>
#include <map>
#include <string>

#include "converter/mapped_file.h"
#include "converter/source_tensor.h"

namespace latimer {

class SafetensorsFile {
 public:
  // Maps the file and checks its header. Throws ConversionError if it is no
  // safetensors file, is truncated, or a tensor's type is not F32, F16 or BF16.
  explicit SafetensorsFile(const std::filesystem::path& path);

  // By name. The tensors view this object's mapping.
  const std::map<std::string, SourceTensor>& tensors() const {
    return tensors_;
  }

 private:
  MappedFile file_;
  std::map<std::string, SourceTensor> tensors_;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_SAFETENSORS_H_
