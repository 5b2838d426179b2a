#include "converter/readers/tensor_map.h"

#include <algorithm>

#include "converter/error.h"

namespace latimer {
namespace {

// The most names of each kind in a message: with a map for another model all
// tensors would be listed.
constexpr size_t kNamesShown = 30;

// Adds "KIND a, b and 7 more" to a list of kinds, unless there are no names.
void AddNames(const char* kind, const std::vector<std::string>& names,
              std::string* text) {
  if (names.empty()) return;
  if (!text->empty()) *text += "; ";
  *text += kind;
  const size_t shown = std::min(names.size(), kNamesShown);
  for (size_t i = 0; i < shown; ++i) {
    *text += (i == 0 ? " " : ", ") + names[i];
  }
  if (shown < names.size()) {
    *text += " and " + std::to_string(names.size() - shown) + " more";
  }
}

}  // namespace

const SourceTensor* TensorMap::Take(const std::string& name) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) return nullptr;
  used_.insert(name);
  return &found->second;
}

void TensorMap::Expect(const SourceTensor* tensor,
                       const std::vector<uint64_t>& shape) {
  if (tensor == nullptr || tensor->shape == shape) return;
  misshapen_.emplace(tensor->name, tensor->name + " " +
                                       ShapeText(tensor->shape) +
                                       " instead of " + ShapeText(shape));
}

void TensorMap::Finish(const std::filesystem::path& file,
                       const std::string& expectation) const {
  std::vector<std::string> misshapen, extra, unreadable;
  for (const auto& [name, text] : misshapen_) misshapen.push_back(text);
  for (const auto& [name, tensor] : tensors_) {
    if (!used_.contains(name)) extra.push_back(name);
  }
  for (const auto& [name, why] : unreadable_) {
    if (used_.contains(name)) continue;
    unreadable.emplace_back(name).append(" (").append(why).append(")");
  }
  std::string what;
  AddNames("missing tensors:", missing_, &what);
  AddNames("misshapen tensors:", misshapen, &what);
  AddNames("unexpected tensors:", extra, &what);
  AddNames("tensors that cannot be converted:", unreadable, &what);
  if (!what.empty()) {
    FailIn(file, "the tensors do not match ", expectation, ": ", what);
  }
}

}  // namespace latimer
