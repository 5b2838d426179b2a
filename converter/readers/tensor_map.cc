#include "converter/readers/tensor_map.h"

#include <algorithm>

#include "converter/error.h"

namespace latimer {
namespace {

// Of each kind; a map that fits another model would name all of its tensors.
constexpr size_t kNamesShown = 30;

}  // namespace

const SourceTensor* TensorMap::Take(const std::string& name) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) return nullptr;
  used_.insert(name);
  return &found->second;
}

const SourceTensor* TensorMap::Find(const std::string& name,
                                    const std::vector<uint64_t>& shape) {
  const SourceTensor* tensor = Take(name);
  // Once for each; one that may be ignored is looked at where it is not.
  if (tensor != nullptr && tensor->shape != shape &&
      shapes_noted_.insert(name).second) {
    NoteMisshapen(name + " " + ShapeText(tensor->shape) + " instead of " +
                  ShapeText(shape));
  }
  return tensor;
}

const SourceTensor* TensorMap::Require(const std::string& name,
                                       const std::vector<uint64_t>& shape) {
  const SourceTensor* tensor = Find(name, shape);
  if (tensor == nullptr && !unreadable_.contains(name)) NoteMissing(name);
  return tensor;
}

const SourceTensor* TensorMap::RequireOneOf(
    const std::vector<std::string>& names, const std::vector<uint64_t>& shape) {
  for (const std::string& name : names) {
    if (const SourceTensor* tensor = Find(name, shape)) return tensor;
  }
  NoteMissing(names.front());
  return nullptr;
}

void TensorMap::Finish(const std::filesystem::path& file,
                       const std::string& expectation) const {
  std::vector<std::string> unreadable;
  for (const auto& [name, why] : unreadable_) {
    if (used_.contains(name)) continue;
    std::string text = name;
    text.append(" (").append(why).append(")");
    unreadable.push_back(text);
  }
  std::vector<std::string> extra;
  for (const auto& [name, tensor] : tensors_) {
    if (!used_.contains(name)) extra.push_back(name);
  }
  std::string what;
  const auto add = [&](const char* kind,
                       const std::vector<std::string>& names) {
    if (names.empty()) return;
    what += what.empty() ? "" : "; ";
    what += kind;
    const size_t shown = std::min(names.size(), kNamesShown);
    for (size_t i = 0; i < shown; ++i) {
      what += (i == 0 ? " " : ", ") + names[i];
    }
    if (shown < names.size()) {
      what += " and " + std::to_string(names.size() - shown) + " more";
    }
  };
  add("missing tensors:", missing_);
  add("misshapen tensors:", misshapen_);
  add("unexpected tensors:", extra);
  add("tensors that cannot be converted:", unreadable);
  if (!what.empty()) {
    throw ConversionError(file.string() + ": the tensors do not match " +
                          expectation + ": " + what + ".");
  }
}

}  // namespace latimer
