// The tensors of a model by the parts of its map, and tensors made from them.
#ifndef LATIMER_CONVERTER_READERS_MAPPED_TENSORS_H_
#define LATIMER_CONVERTER_READERS_MAPPED_TENSORS_H_

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "converter/error.h"
#include "converter/readers/model_map.h"
#include "converter/readers/tensor_file.h"
#include "converter/source_tensor.h"

namespace latimer {

// The tensors of a part of the model; null if it has none.
struct Parameters {
  const SourceTensor* weight = nullptr;  // of a norm: gamma
  const SourceTensor* bias = nullptr;    // of a norm: beta
};

// A tensor called as PyTorch calls W_hh, and which cells its gates are those
// of: [3H, H] of a GRU, [4H, H] of an LSTM. Null if the file has none.
struct CellTensor {
  const SourceTensor* tensor = nullptr;
  NetworkKind kind = NetworkKind::kTransformer;
};
CellTensor FindCells(const TensorFile& file);

// Finds tensors by their names alone: what is missing or left over is known
// before any shape is looked at. Not movable: its tensors stay where they are.
class MappedTensors {
 public:
  // Opens the file of an own model. Removes what stands before its names: what
  // training wrappers put there ("module.", "_orig_mod."), the map's prefix, or
  // without one any prefix behind which the names are those of the map. Throws
  // ConversionError if there are several such prefixes.
  MappedTensors(const std::filesystem::path& path, ModelMap map);
  // Takes an open file's tensors under the names that it has. `path` is for
  // messages.
  MappedTensors(TensorFile file, const std::filesystem::path& path,
                ModelMap map);
  MappedTensors(const MappedTensors&) = delete;
  MappedTensors& operator=(const MappedTensors&) = delete;

  // Gives the tensors the names of the map, each of which begins with `base`,
  // or of which none does if it is empty: removes what stands before the names
  // of all, as above, and adds `base` where it is missing, as transformers
  // does. Throws ConversionError if the file holds several models.
  void FitNames(const std::string& base);

  // The number of layers of "encoder" or "decoder": one more than the largest
  // number in the name of a tensor of any of its parts. Throws ConversionError
  // if it has neither self-attention nor cells.
  uint32_t CountLayers(std::string_view stack) const;
  // The same for the heads of a part of layer 0; 0 if there are none.
  uint32_t CountHeads(std::string_view part) const;

  // Whether the file has a tensor of this part.
  bool Has(std::string_view part, uint32_t layer = 0, uint32_t head = 0) const;

  // Takes a part's tensors. Notes for Finish if the weight is missing, or the
  // bias unless the map says that it may be. Throws ConversionError if the map
  // does not name the part.
  Parameters Take(const std::string& part, uint32_t layer = 0,
                  uint32_t head = 0);
  // The same for a part that may be missing.
  Parameters TakeIfPresent(const std::string& part, uint32_t layer = 0,
                           uint32_t head = 0);

  // Notes a tensor of another shape for Finish. Does nothing for null.
  void Expect(const SourceTensor* tensor, const std::vector<uint64_t>& shape);

  // Throws ConversionError if anything was missing, misshapen or unreadable or
  // is left over: "FILE: the tensors do not match MAP'S NAME: ...".
  void Finish();

  // The rows of a matrix. Throws ConversionError if it is not a matrix.
  uint64_t RowsOf(const SourceTensor& tensor) const;
  // Throws ConversionError unless the tensor has this shape.
  void CheckShape(const SourceTensor& tensor,
                  const std::vector<uint64_t>& shape) const;
  // The same for a matrix [outputs, inputs] and its bias, if it has one.
  void CheckLinear(const Parameters& linear, uint64_t outputs,
                   uint64_t inputs) const;
  // Says what is wrong with a tensor: "FILE: NAME [SHAPE] WHY."
  template <typename... Parts>
  [[noreturn]] void Fail(const SourceTensor& tensor,
                         const Parts&... why) const {
    FailIn(path_, tensor.name, " ", ShapeText(tensor.shape), " ", why...);
  }

  // Makes a tensor that lives as long as this object.
  const SourceTensor* Make(const std::string& name, std::vector<uint64_t> shape,
                           std::vector<float> values);
  // Rows [begin, begin + count) of a matrix or elements of a vector.
  const SourceTensor* Rows(const SourceTensor& tensor, uint64_t begin,
                           uint64_t count);

  const ModelMap& map() const { return map_; }
  const std::filesystem::path& path() const { return path_; }
  // What the user should know, one sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  // Throws ConversionError if the file has other cells than the map says.
  void CheckCells() const;
  void StripWrappers();
  bool StripFromAll(const std::string& prefix, const char* who);
  void StripPrefix(std::string prefix);
  void StripFittingPrefix();
  void StripFitting(const std::string& prefix);
  void Strip(const std::string& prefix);
  // Gives each tensor the name that `rename` makes of its own. Throws
  // ConversionError if two get the same.
  template <typename Rename>
  void RenameAll(const Rename& rename);
  // Whether the map has this name.
  bool IsMapped(const std::string& name) const;
  std::set<std::string> Names() const;
  bool AnyBeginsWith(const std::string& prefix) const;
  // The preset that fits the names of an own model whose map does not, or "".
  std::string OtherPreset() const;
  // Whether the file has this tensor, readable or not.
  bool InFile(const std::string& name) const {
    return file_.tensors.contains(name) || file_.unreadable.contains(name);
  }
  // The index of the first of `names` that the file has, or their number.
  size_t FirstPresent(const std::vector<std::string>& names) const;
  const std::vector<std::string>* NamesOf(std::string_view part) const;

  ModelMap map_;
  std::filesystem::path path_;
  TensorFile file_;
  bool own_ = false;
  std::set<std::string> used_;
  std::vector<std::string> missing_;
  std::map<std::string, std::string> misshapen_;  // By name, in words.
  std::deque<SourceTensor> made_;
  std::deque<std::vector<float>> values_;
  std::vector<std::string> notes_;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAPPED_TENSORS_H_
