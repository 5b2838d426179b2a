// The tensors of a trained model's file, in any format.
#ifndef LATIMER_CONVERTER_READERS_TENSOR_FILE_H_
#define LATIMER_CONVERTER_READERS_TENSOR_FILE_H_

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "converter/source_tensor.h"

namespace latimer {

struct TensorFile {
  // By name. They view what `storage` keeps.
  std::map<std::string, SourceTensor> tensors = {};
  // Tensors of the file that cannot be converted, and why: "has type int64".
  std::map<std::string, std::string> unreadable = {};
  // Text among the tensors: Marian's "special:model.yml".
  std::map<std::string, std::string> texts = {};
  // "fairseq" or "OpenNMT-py", if one of them wrote the file.
  std::string toolkit = {};
  std::shared_ptr<const void> storage = nullptr;
};

// Each function reads one format, and throws ConversionError if the file is
// damaged.

// The safetensors format: an 8-byte length, a JSON header, raw tensors. Source:
// the format's description in the huggingface/safetensors repository.
TensorFile ReadSafetensors(const std::filesystem::path& path);

// A checkpoint of torch.save: a zip file of a pickle and one entry per storage.
// Source: torch/serialization.py and torch/_utils.py of PyTorch 2. Reads the
// state_dict: the first dict under the key "state_dict", "model_state_dict" or
// "model", else the saved dict. Names from nested dicts have dots. Skips what
// is not a tensor, and executes nothing. Refuses a file that calls functions
// that a file of tensors does not need, is older than PyTorch 1.6, or holds no
// tensors.
TensorFile ReadPytorchFile(const std::filesystem::path& path);

// NumPy's .npz: a zip file of one .npy file per array, as Marian saves models.
// Source: numpy/lib/format.py; marian-dev's src/3rd_party/cnpy. Arrays of
// floats become tensors, an array named "special:..." becomes a text, and
// arrays of other types are unreadable. Verifies every array's checksum.
TensorFile ReadNpz(const std::filesystem::path& path);

// Marian's .bin: a header, names, shapes, and numbers that may be int8.
// Sources: marian-dev's src/common/binary.cpp and types.h; for int8,
// src/tensors/cpu/expression_graph_packable.h there and in browsermt's fork.
// intgemm8 matrices become kInt8 with the scale 1 / multiplier. Skips the
// scales of activations (..._QuantMultA), because Latimer measures each row.
// Refuses a file that is encrypted or packed for one kind of CPU.
TensorFile ReadMarianBin(const std::filesystem::path& path);

// Whether a file that begins with these bytes is in this format. The name of a
// zip file's first entry distinguishes NumPy's from PyTorch's.
bool IsMarianBin(std::string_view begin);
bool IsSafetensors(std::string_view begin);
bool IsZip(std::string_view begin);
bool IsNpz(std::string_view begin);
// A pickle itself; torch.save puts one into a zip file.
bool IsPickle(std::string_view begin);

// Whether a file is what training with PyTorch leaves: one of safetensors or of
// torch.save, of any version. Throws ConversionError if it is a damaged zip
// file.
bool IsCheckpoint(const std::filesystem::path& path);

// Opens a safetensors file, a PyTorch checkpoint, Marian's .npz or .bin, or an
// index of shards of the first two (NAME.index.json). Detects the format by the
// first bytes. Throws ConversionError if a file is missing, damaged, or in no
// known format.
TensorFile OpenTensorFile(const std::filesystem::path& path);

// The weights of a Hugging Face folder: the first of model.safetensors,
// model.safetensors.index.json, pytorch_model.bin and
// pytorch_model.bin.index.json that exists. Throws ConversionError if none
// does.
std::filesystem::path FindWeights(const std::filesystem::path& directory);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_TENSOR_FILE_H_
