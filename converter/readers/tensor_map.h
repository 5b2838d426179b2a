// Looks a model's tensors up by name and keeps account: which were used, which
// were missing, of another shape, or left over.
#ifndef LATIMER_CONVERTER_READERS_TENSOR_MAP_H_
#define LATIMER_CONVERTER_READERS_TENSOR_MAP_H_

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "converter/readers/tensor_file.h"
#include "converter/source_tensor.h"

namespace latimer {

class TensorMap {
 public:
  using Tensors = std::map<std::string, SourceTensor>;
  // Tensors that cannot be converted, and why; as TensorFile has them.
  using Unreadable = std::map<std::string, std::string>;

  // Both live longer than this object.
  TensorMap(const Tensors& tensors, const Unreadable& unreadable)
      : tensors_(tensors), unreadable_(unreadable) {}
  explicit TensorMap(const TensorFile& file)
      : TensorMap(file.tensors(), file.unreadable()) {}

  // Whether the file has this tensor, readable or not.
  bool Has(const std::string& name) const {
    return tensors_.contains(name) || unreadable_.contains(name);
  }

  // Null if there is none that can be read; the shape is the caller's affair.
  const SourceTensor* Take(const std::string& name);

  // Null if there is none; a wrong shape is noted and gives the tensor anyway.
  const SourceTensor* Find(const std::string& name,
                           const std::vector<uint64_t>& shape);

  // The same, and notes that it is missing.
  const SourceTensor* Require(const std::string& name,
                              const std::vector<uint64_t>& shape);

  // The first of these names that the file has.
  const SourceTensor* RequireOneOf(const std::vector<std::string>& names,
                                   const std::vector<uint64_t>& shape);

  // A tensor that may lie in the file but is not needed, readable or not.
  void Ignore(const std::string& name) { used_.insert(name); }

  // For what the functions above cannot say.
  void NoteMissing(std::string what) { missing_.push_back(std::move(what)); }
  void NoteMisshapen(std::string what) {
    misshapen_.push_back(std::move(what));
  }

  // Throws ConversionError if anything was missing, misshapen, left over or
  // unreadable: "FILE: the tensors do not match EXPECTATION: ...".
  void Finish(const std::filesystem::path& file,
              const std::string& expectation) const;

 private:
  const Tensors& tensors_;
  const Unreadable& unreadable_;
  std::set<std::string> used_;
  std::set<std::string> shapes_noted_;  // In misshapen_.
  std::vector<std::string> missing_;
  std::vector<std::string> misshapen_;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_TENSOR_MAP_H_
