// Keeps account of a file's tensors: which were used, missing, misshapen or
// left over.
#ifndef LATIMER_CONVERTER_READERS_TENSOR_MAP_H_
#define LATIMER_CONVERTER_READERS_TENSOR_MAP_H_

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "converter/source_tensor.h"

namespace latimer {

class TensorMap {
 public:
  using Tensors = std::map<std::string, SourceTensor>;
  // Tensors that cannot be converted, with the reason; see TensorFile.
  using Unreadable = std::map<std::string, std::string>;

  // Borrows both.
  TensorMap(const Tensors& tensors, const Unreadable& unreadable)
      : tensors_(tensors), unreadable_(unreadable) {}

  // Whether the file has this tensor, readable or not.
  bool Has(const std::string& name) const {
    return tensors_.contains(name) || unreadable_.contains(name);
  }

  // Marks a tensor as used. Null if there is none that can be read.
  const SourceTensor* Take(const std::string& name);

  // Marks a tensor, readable or not, as one that need not be used.
  void Ignore(const std::string& name) { used_.insert(name); }

  void NoteMissing(std::string what) { missing_.push_back(std::move(what)); }

  // Notes the tensor as misshapen, once, unless it has this shape. Does nothing
  // for null.
  void Expect(const SourceTensor* tensor, const std::vector<uint64_t>& shape);

  // Throws ConversionError if anything was missing, misshapen, left over or
  // unreadable: "FILE: the tensors do not match EXPECTATION: ...".
  void Finish(const std::filesystem::path& file,
              const std::string& expectation) const;

 private:
  const Tensors& tensors_;
  const Unreadable& unreadable_;
  std::set<std::string> used_;
  std::vector<std::string> missing_;
  std::map<std::string, std::string> misshapen_;  // By name, in words.
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_TENSOR_MAP_H_
