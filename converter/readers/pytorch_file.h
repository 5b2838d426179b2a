// A checkpoint of torch.save: a zip file of a pickle and one entry per storage.
// Source: torch/serialization.py and torch/_utils.py of PyTorch 2.
#ifndef LATIMER_CONVERTER_READERS_PYTORCH_FILE_H_
#define LATIMER_CONVERTER_READERS_PYTORCH_FILE_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "converter/readers/pickle.h"
#include "converter/readers/tensor_file.h"
#include "converter/readers/zip_file.h"

namespace latimer {

class PytorchFile : public TensorFile {
 public:
  // Reads the state_dict: the first dict under the key "state_dict",
  // "model_state_dict" or "model", else the saved dict. Names from nested dicts
  // have dots. Skips what is not a tensor, and executes nothing. Throws
  // ConversionError if the file is damaged, calls functions that a file of
  // tensors does not need, is older than PyTorch 1.6, or holds no tensors.
  explicit PytorchFile(const std::filesystem::path& path);

 private:
  void CheckArchive();
  Pickle ReadPickle();
  void AddTensors(const PickleValue& dict, const std::string& prefix,
                  int depth);
  void AddTensor(const std::string& name, const PickleValue& value);

  std::string path_;
  ZipFile zip_;
  std::string folder_;  // Of the entries, with "/".
  uint64_t visited_ = 0;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_PYTORCH_FILE_H_
