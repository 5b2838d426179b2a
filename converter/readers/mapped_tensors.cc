#include "converter/readers/mapped_tensors.h"

#include <algorithm>

#include "base/check.h"
#include "converter/error.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/map_json.h"
#include "converter/readers/map_parts.h"
#include "converter/readers/name_pattern.h"

namespace latimer {
namespace {

constexpr size_t kNamesShown = 4;

// "a, b, c or 7 others".
std::string Listed(const std::vector<std::string>& names,
                   const std::string& last) {
  std::string text;
  const size_t shown = std::min(names.size(), kNamesShown);
  for (size_t i = 0; i < shown; ++i) {
    const bool end = i + 1 == names.size();
    text += (i == 0 ? "" : end ? " " + last + " " : ", ") + names[i];
  }
  if (names.size() > shown) {
    text += " " + last + " " + std::to_string(names.size() - shown) + " others";
  }
  return text;
}

std::vector<std::string> FilledIn(const std::vector<std::string>& patterns,
                                  uint32_t layer, uint32_t head) {
  std::vector<std::string> names;
  names.reserve(patterns.size());
  for (const std::string& pattern : patterns) {
    names.push_back(FillIn(pattern, layer, head));
  }
  return names;
}

// One more than the largest number that any tensor has in place of {variable}.
uint32_t CountNumbers(const std::map<std::string, SourceTensor>& tensors,
                      const std::vector<std::string>& patterns,
                      std::string_view variable) {
  uint32_t count = 0;
  for (const std::string& pattern : patterns) {
    if (pattern.find(variable) == std::string::npos) continue;
    for (const auto& [name, tensor] : tensors) {
      if (const auto number = NumberIn(name, pattern, variable)) {
        count = std::max(count, *number + 1);
      }
    }
  }
  return count;
}

// The most names of each kind in a message: with a map for another model all
// tensors would be listed. Whoever writes a map needs more than whoever is told
// that one number of a config is wrong.
constexpr size_t kMostNames = 30;
constexpr size_t kMostShapes = 5;

// Adds "KIND a, b and 7 more" to a list of kinds, unless there are no names.
void AddNames(const char* kind, const std::vector<std::string>& names,
              size_t most, std::string* text) {
  if (names.empty()) return;
  if (!text->empty()) *text += "; ";
  *text += kind;
  const size_t shown = std::min(names.size(), most);
  for (size_t i = 0; i < shown; ++i) {
    *text += (i == 0 ? " " : ", ") + names[i];
  }
  if (shown < names.size()) {
    *text += " and " + std::to_string(names.size() - shown) + " more";
  }
}

}  // namespace

MappedTensors::MappedTensors(TensorFile file, const std::filesystem::path& path,
                             ModelMap map)
    : map_(std::move(map)), path_(path), file_(std::move(file)) {}

MappedTensors::MappedTensors(const std::filesystem::path& path, ModelMap map)
    : MappedTensors(OpenTensorFile(path), path, std::move(map)) {
  // Wrappers may be nested.
  size_t before = 0;
  do {
    before = notes_.size();
    StripFromAll("module.", "torch.nn.DataParallel");
    StripFromAll("_orig_mod.", "torch.compile");
  } while (notes_.size() > before);
  if (!map_.prefix.empty()) Rename(map_.prefix.size(), map_.prefix);
}

void MappedTensors::StripFromAll(const std::string& prefix, const char* who) {
  const auto has = [&](const auto& entry) {
    return entry.first.starts_with(prefix);
  };
  if (file_.tensors.empty() || !std::ranges::all_of(file_.tensors, has) ||
      !std::ranges::all_of(file_.unreadable, has)) {
    return;
  }
  Rename(prefix.size(), prefix);
  notes_.push_back(Concat("Every tensor's name began with ", prefix, ", which ",
                          who, " adds; it was removed."));
}

// Removes `cut` characters from the names that begin with `prefix`.
void MappedTensors::Rename(size_t cut, const std::string& prefix) {
  const auto rename = [&](auto& entries) {
    std::remove_reference_t<decltype(entries)> renamed;
    for (auto& [name, value] : entries) {
      renamed.emplace(name.starts_with(prefix) ? name.substr(cut) : name,
                      std::move(value));
    }
    entries = std::move(renamed);
  };
  rename(file_.tensors);
  rename(file_.unreadable);
  for (auto& [name, tensor] : file_.tensors) tensor.name = name;
}

uint32_t MappedTensors::CountLayers(std::string_view stack) const {
  const std::string own = std::string(stack) + ".";
  uint32_t count = 0;
  bool core = false;
  for (const auto& [part, names] : map_.tensors) {
    if (!part.starts_with(own)) continue;
    const uint32_t of_part =
        CountNumbers(file_.tensors, names.weight, "{layer}");
    count = std::max(count, of_part);
    core |= of_part > 0 && (part.starts_with(own + "self_attention.") ||
                            part.starts_with(own + "gru."));
  }
  // Without its core it is another model, even if other names match.
  if (core) return count;
  std::vector<std::string> have;
  for (const auto& [name, tensor] : file_.tensors) have.push_back(name);
  const std::string fitting = FittingPreset(path_);
  FailIn(path_, "no tensor is called as ", map_.name, " calls the ", stack,
         "'s ", map_.recurrent ? "GRU" : "self-attention", "; there are ",
         Listed(have, "and"),
         fitting.empty() || fitting == map_.name
             ? ""
             : ", which look like " + fitting);
}

uint32_t MappedTensors::CountHeads(std::string_view part) const {
  const std::vector<std::string>* names = NamesOf(part);
  return names == nullptr ? 0 : CountNumbers(file_.tensors, *names, "{head}");
}

const std::vector<std::string>* MappedTensors::NamesOf(
    std::string_view part) const {
  const auto found = map_.tensors.find(std::string(part));
  return found == map_.tensors.end() ? nullptr : &found->second.weight;
}

bool MappedTensors::Has(std::string_view part, uint32_t layer,
                        uint32_t head) const {
  const std::vector<std::string>* patterns = NamesOf(part);
  if (patterns == nullptr) return false;
  const std::vector<std::string> names = FilledIn(*patterns, layer, head);
  return FirstPresent(names) < names.size();
}

Parameters MappedTensors::Take(const std::string& part, uint32_t layer,
                               uint32_t head) {
  const auto found = map_.tensors.find(part);
  if (found == map_.tensors.end()) {
    FailIn(map_.name, "tensors does not name \"", part,
           "\", which the model's other flags ask for");
  }
  const PartNames& patterns = found->second;
  const Parameters taken = TakeIfPresent(part, layer, head);
  const auto note = [&](const std::vector<std::string>& names) {
    missing_.push_back(Listed(names, "or") + " (\"" + part + "\")");
  };
  const std::vector<std::string> weights =
      FilledIn(patterns.weight, layer, head);
  const size_t choice = FirstPresent(weights);
  if (choice == weights.size()) {
    note(weights);
    return taken;
  }
  const bool may_lack_bias =
      patterns.bias.empty() ||
      std::ranges::any_of(map_.optional_bias, [&](const std::string& pattern) {
        return MatchesWildcard(pattern, part);
      });
  const std::vector<std::string> biases = FilledIn(patterns.bias, layer, head);
  if (!may_lack_bias && FirstPresent(biases) == biases.size()) {
    // Names only the bias that belongs to the weight, if that is known.
    const bool paired = biases.size() == weights.size();
    note(paired ? std::vector{biases[choice]} : biases);
  }
  return taken;
}

size_t MappedTensors::FirstPresent(
    const std::vector<std::string>& names) const {
  const auto present = std::ranges::find_if(
      names, [&](const std::string& name) { return InFile(name); });
  return static_cast<size_t>(present - names.begin());
}

Parameters MappedTensors::TakeIfPresent(const std::string& part, uint32_t layer,
                                        uint32_t head) {
  const auto found = map_.tensors.find(part);
  if (found == map_.tensors.end()) return {};
  const auto take =
      [&](const std::vector<std::string>& patterns) -> const SourceTensor* {
    const std::vector<std::string> names = FilledIn(patterns, layer, head);
    const size_t choice = FirstPresent(names);
    if (choice == names.size()) return nullptr;
    const auto tensor = file_.tensors.find(names[choice]);
    if (tensor == file_.tensors.end()) return nullptr;  // Unreadable.
    used_.insert(names[choice]);
    return &tensor->second;
  };
  return {take(found->second.weight), take(found->second.bias)};
}

void MappedTensors::Expect(const SourceTensor* tensor,
                           const std::vector<uint64_t>& shape) {
  if (tensor == nullptr || tensor->shape == shape) return;
  misshapen_.emplace(tensor->name,
                     Concat(tensor->name, " ", ShapeText(tensor->shape),
                            " instead of ", ShapeText(shape)));
}

void MappedTensors::Finish() {
  std::vector<std::string> misshapen, extra, unreadable;
  const auto is_needed = [&](const std::string& name) {
    return !used_.contains(name) &&
           std::ranges::none_of(map_.ignore, [&](const std::string& pattern) {
             return MatchesWildcard(pattern, name);
           });
  };
  for (const auto& [name, text] : misshapen_) misshapen.push_back(text);
  for (const auto& [name, tensor] : file_.tensors) {
    if (is_needed(name)) extra.push_back(name);
  }
  for (const auto& [name, why] : file_.unreadable) {
    if (is_needed(name)) unreadable.push_back(Concat(name, " (", why, ")"));
  }
  std::string what;
  AddNames("missing tensors:", missing_, kMostNames, &what);
  AddNames("misshapen tensors:", misshapen, kMostShapes, &what);
  AddNames("unexpected tensors:", extra, kMostNames, &what);
  AddNames("tensors that cannot be converted:", unreadable, kMostNames, &what);
  if (what.empty()) return;
  FailIn(path_, "the tensors do not match ", map_.name, ": ", what);
}

uint64_t MappedTensors::RowsOf(const SourceTensor& tensor) const {
  if (tensor.shape.size() != 2 || tensor.shape[0] == 0) {
    Fail(tensor, "should be a matrix");
  }
  return tensor.shape[0];
}

void MappedTensors::CheckShape(const SourceTensor& tensor,
                               const std::vector<uint64_t>& shape) const {
  if (tensor.shape != shape) Fail(tensor, "should be ", ShapeText(shape));
}

void MappedTensors::CheckLinear(const Parameters& linear, uint64_t outputs,
                                uint64_t inputs) const {
  CheckShape(*linear.weight, {outputs, inputs});
  if (linear.bias != nullptr) CheckShape(*linear.bias, {outputs});
}

const SourceTensor* MappedTensors::Make(const std::string& name,
                                        std::vector<uint64_t> shape,
                                        std::vector<float> values) {
  values_.push_back(std::move(values));
  made_.push_back({.name = name,
                   .type = SourceType::kF32,
                   .shape = std::move(shape),
                   .data = std::as_bytes(std::span(values_.back()))});
  return &made_.back();
}

const SourceTensor* MappedTensors::Rows(const SourceTensor& tensor,
                                        uint64_t begin, uint64_t count) {
  LATIMER_CHECK(tensor.row_scales == nullptr);
  SourceTensor rows = tensor;
  const size_t row_bytes = tensor.data.size() / tensor.shape.at(0);
  rows.shape[0] = count;
  rows.data = tensor.data.subspan(begin * row_bytes, count * row_bytes);
  made_.push_back(std::move(rows));
  return &made_.back();
}

std::string FittingPreset(const std::filesystem::path& path) {
  for (const auto& [name, text] : MapPresets()) {
    ModelMap map;
    map.name = "preset:" + name;
    map.tensors =
        ReadParts(JsonFields::From(map.name, LoadMapJson(map.name, {})));
    const MappedTensors tensors(path, map);
    const auto found = [&](const char* part) { return tensors.Has(part); };
    if (found("encoder.gru.input") && found("decoder.gru.input") &&
        (found("attention.joint") || found("attention.query") ||
         found("combine"))) {
      return map.name;
    }
    if ((found("encoder.self_attention.query") ||
         found("encoder.self_attention.qkv")) &&
        found("encoder.ffn.in") &&
        (found("decoder.cross_attention.query") ||
         found("decoder.cross_attention.qkv"))) {
      return map.name;
    }
  }
  return "";
}

}  // namespace latimer
