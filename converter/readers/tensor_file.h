// The tensors of a trained model's file, in any format.
#ifndef LATIMER_CONVERTER_READERS_TENSOR_FILE_H_
#define LATIMER_CONVERTER_READERS_TENSOR_FILE_H_

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "converter/source_tensor.h"

namespace latimer {

class TensorFile {
 public:
  virtual ~TensorFile() = default;
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;

  // By name. The tensors view this object's mapping.
  const std::map<std::string, SourceTensor>& tensors() const {
    return tensors_;
  }

  // Tensors of the file that cannot be converted, and why: "has type int64".
  const std::map<std::string, std::string>& unreadable() const {
    return unreadable_;
  }

  // Text among the tensors: Marian's "special:model.yml".
  const std::map<std::string, std::string>& texts() const { return texts_; }

 protected:
  TensorFile() = default;

  std::map<std::string, SourceTensor> tensors_;
  std::map<std::string, std::string> unreadable_;
  std::map<std::string, std::string> texts_;
};

// Opens a safetensors file, a PyTorch checkpoint, Marian's .npz or .bin, or an
// index of shards of the first two (NAME.index.json). Detects the format by the
// first bytes. Throws ConversionError if a file is missing, damaged, or in no
// known format.
std::unique_ptr<TensorFile> OpenTensorFile(const std::filesystem::path& path);

// The weights of a Hugging Face folder: the first of model.safetensors,
// model.safetensors.index.json, pytorch_model.bin and
// pytorch_model.bin.index.json that exists. Throws ConversionError if none
// does.
std::filesystem::path FindWeights(const std::filesystem::path& directory);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_TENSOR_FILE_H_
