#include "converter/readers/mapped_tensors.h"

#include <algorithm>

#include "base/check.h"
#include "converter/error.h"
#include "converter/readers/fitting_preset.h"
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
    const size_t more = names.size() - shown;
    text += " " + last + " " + std::to_string(more) +
            (more == 1 ? " other" : " others");
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

// One more than the largest number that any name has in place of {variable}.
uint32_t CountNumbers(const std::set<std::string>& names,
                      const std::vector<std::string>& patterns,
                      std::string_view variable) {
  uint32_t count = 0;
  for (const std::string& pattern : patterns) {
    if (pattern.find(variable) == std::string::npos) continue;
    for (const std::string& name : names) {
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

CellTensor FindCells(const TensorFile& file) {
  for (const auto& [name, tensor] : file.tensors) {
    const std::vector<uint64_t>& shape = tensor.shape;
    if (name.find("weight_hh") == std::string::npos || shape.size() != 2 ||
        shape[1] == 0) {
      continue;
    }
    if (shape[0] == 4 * shape[1]) return {&tensor, NetworkKind::kLstm};
    if (shape[0] == 3 * shape[1]) return {&tensor, NetworkKind::kGru};
  }
  return {};
}

MappedTensors::MappedTensors(TensorFile file, const std::filesystem::path& path,
                             ModelMap map)
    : map_(std::move(map)), path_(path), file_(std::move(file)) {}

MappedTensors::MappedTensors(const std::filesystem::path& path, ModelMap map)
    : MappedTensors(OpenTensorFile(path), path, std::move(map)) {
  own_ = true;
  CheckCells();
  // The user's prefix may include what wrappers add, or stand behind it.
  if (map_.prefix.empty() || !AnyBeginsWith(map_.prefix)) StripWrappers();
  if (map_.prefix.empty()) {
    StripFittingPrefix();
  } else {
    StripPrefix(map_.prefix);
  }
  StripWrappers();
}

void MappedTensors::CheckCells() const {
  const CellTensor cells = FindCells(file_);
  if (!map_.recurrent || cells.tensor == nullptr) return;
  const bool has_cells = cells.kind == NetworkKind::kLstm;
  if (has_cells == map_.recurrent->has_cells) return;
  FailIn(path_, "has ", has_cells ? "LSTMs" : "GRUs", ": ", cells.tensor->name,
         " ", ShapeText(cells.tensor->shape), " has ",
         has_cells ? "four" : "three", " gates; the architecture of ",
         map_.name, " is \"", has_cells ? "gru" : "lstm", "\"");
}

bool MappedTensors::AnyBeginsWith(const std::string& prefix) const {
  return std::ranges::any_of(
      Names(), [&](const auto& name) { return name.starts_with(prefix); });
}

std::set<std::string> MappedTensors::Names() const {
  std::set<std::string> names;
  for (const auto& [name, tensor] : file_.tensors) names.insert(name);
  for (const auto& [name, why] : file_.unreadable) names.insert(name);
  return names;
}

// Wrappers may be nested.
void MappedTensors::StripWrappers() {
  while (StripFromAll("module.", "torch.nn.DataParallel") ||
         StripFromAll("_orig_mod.", "torch.compile")) {
  }
}

bool MappedTensors::StripFromAll(const std::string& prefix, const char* who) {
  const std::set<std::string> names = Names();
  if (names.empty() || !std::ranges::all_of(names, [&](const auto& name) {
        return name.starts_with(prefix);
      })) {
    return false;
  }
  Strip(prefix);
  notes_.push_back(Concat("Every tensor's name began with ", prefix, ", which ",
                          who, " adds; it was removed."));
  return true;
}

// The user's own, with the dot behind it or without, and what stands between it
// and the map's names.
void MappedTensors::StripPrefix(std::string prefix) {
  const std::set<std::string> names = Names();
  if (AnyBeginsWith(prefix + ".")) prefix += ".";
  if (!AnyBeginsWith(prefix)) {
    FailIn(map_.name, "prefix is ", prefix, ", but no tensor of ", path_,
           " has a name that begins so; there are ",
           Listed({names.begin(), names.end()}, "and"));
  }
  std::vector<std::string> fitting = FittingPrefixes(map_.tensors, names);
  std::erase_if(
      fitting, [&](const auto& longer) { return !longer.starts_with(prefix); });
  if (fitting.size() == 1 && fitting.front() != prefix) {
    StripFitting(fitting.front());
  } else {
    Strip(prefix);
  }
}

void MappedTensors::StripFittingPrefix() {
  const std::vector<std::string> fitting =
      FittingPrefixes(map_.tensors, Names());
  if (fitting.size() > 1) {
    FailIn(path_, "holds several models, whose names begin with ",
           Listed(fitting, "and"),
           "; choose one, as with --set prefix=", fitting.front(),
           ", and ignore the others");
  }
  if (fitting.size() == 1 && !fitting.front().empty()) {
    StripFitting(fitting.front());
  }
}

void MappedTensors::StripFitting(const std::string& prefix) {
  Strip(prefix);
  notes_.push_back(Concat("The tensors' names began with ", prefix, ", which ",
                          map_.name, " does not have; it was removed."));
}

// Removes `prefix` from the names that begin with it.
void MappedTensors::Strip(const std::string& prefix) {
  RenameAll([&](const std::string& name) {
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  });
}

template <typename Rename>
void MappedTensors::RenameAll(const Rename& rename) {
  std::map<std::string, std::string> originals;  // By new name.
  const auto rename_all = [&](auto& entries) {
    std::remove_reference_t<decltype(entries)> renamed;
    for (auto& [name, value] : entries) {
      const std::string to = rename(name);
      const auto [other, is_new] = originals.emplace(to, name);
      if (!is_new) {
        const auto& [shorter, longer] = std::minmax(
            name, other->second,
            [](const auto& a, const auto& b) { return a.size() < b.size(); });
        FailIn(path_, "has both ", longer, " and ", shorter,
               "; save one of the two models alone");
      }
      renamed.emplace(to, std::move(value));
    }
    entries = std::move(renamed);
  };
  rename_all(file_.tensors);
  rename_all(file_.unreadable);
  for (auto& [name, tensor] : file_.tensors) tensor.name = name;
}

bool MappedTensors::IsMapped(const std::string& name) const {
  const auto is_one_of = [&](const std::vector<std::string>& patterns) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
      return pattern == name || NumberIn(name, pattern, "{layer}").has_value();
    });
  };
  return std::ranges::any_of(map_.tensors, [&](const auto& part) {
    return is_one_of(part.second.weight) || is_one_of(part.second.bias);
  });
}

void MappedTensors::FitNames(const std::string& base) {
  StripWrappers();
  std::map<std::string, PartNames> bare = map_.tensors;
  for (auto& [part, names] : bare) {
    for (std::string& name : names.weight) {
      if (name.starts_with(base)) name.erase(0, base.size());
    }
  }
  const std::vector<std::string> fitting = FittingPrefixes(bare, Names());
  if (fitting.size() > 1) {
    FailIn(path_, "holds several models, whose names begin with ",
           Listed(fitting, "and"), "; save one of them alone");
  }
  std::string prefix = fitting.empty() ? "" : fitting.front();
  if (prefix.ends_with(base)) prefix.resize(prefix.size() - base.size());
  if (!prefix.empty()) {
    Strip(prefix);
    notes_.push_back(Concat("The tensors' names began with ", prefix,
                            ", which transformers does not write; it was "
                            "removed."));
  }
  bool added = false;
  RenameAll([&](const std::string& name) {
    if (base.empty() || IsMapped(name) || !IsMapped(base + name)) return name;
    added = true;
    return base + name;
  });
  if (added) {
    notes_.push_back(Concat("Tensors' names lacked ", base,
                            ", as those of a model that was saved without its "
                            "head do; it was added."));
  }
}

std::string MappedTensors::OtherPreset() const {
  const std::set<std::string> names = Names();
  const bool fits = !FittingPrefixes(map_.tensors, names).empty();
  return !own_ || fits ? "" : FittingPreset(names, FindCells(file_).kind);
}

uint32_t MappedTensors::CountLayers(std::string_view stack) const {
  const std::string own = std::string(stack) + ".";
  const std::set<std::string> have = Names();
  uint32_t count = 0;
  bool core = false;
  for (const auto& [part, names] : map_.tensors) {
    if (!part.starts_with(own)) continue;
    // The only layer may have no number.
    const uint32_t of_part = std::max(
        CountNumbers(have, names.weight, "{layer}"), Has(part) ? 1u : 0u);
    count = std::max(count, of_part);
    core |= of_part > 0 &&
            (part.starts_with(own + "self_attention.") ||
             part.starts_with(own + "gru.") || part.starts_with(own + "lstm."));
  }
  // Without its core it is another model, even if other names match.
  if (core) return count;
  const std::string preset = OtherPreset();
  FailIn(path_, "no tensor is called as ", map_.name, " calls the ", stack,
         "'s ",
         !map_.recurrent             ? "self-attention"
         : map_.recurrent->has_cells ? "LSTM"
                                     : "GRU",
         "; there are ", Listed({have.begin(), have.end()}, "and"),
         preset.empty() ? "" : ", which look like " + preset);
}

uint32_t MappedTensors::CountHeads(std::string_view part) const {
  const std::vector<std::string>* names = NamesOf(part);
  return names == nullptr ? 0 : CountNumbers(Names(), *names, "{head}");
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
  std::vector<std::string> misshapen, extra, unreadable, unread;
  const auto is_one_of = [](const std::vector<std::string>& patterns,
                            const std::string& name) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
      return MatchesWildcard(pattern, name);
    });
  };
  const auto is_needed = [&](const std::string& name) {
    if (used_.contains(name) || is_one_of(map_.ignore, name)) return false;
    if (!is_one_of(map_.unread, name)) return true;
    unread.push_back(name);
    return false;
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
  if (own_ && !unreadable.empty()) {
    what += "; add to \"ignore\" what the model does not need";
  }
  if (!unread.empty()) {
    notes_.push_back(Concat(Listed(unread, "and"),
                            unread.size() == 1 ? " was" : " were",
                            " left out; transformers does not read ",
                            unread.size() == 1 ? "it." : "them."));
  }
  if (what.empty()) return;
  const std::string preset = OtherPreset();
  FailIn(path_, "the tensors do not match ", map_.name,
         preset.empty() ? "" : " (they look like " + preset + ")", ": ", what);
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

}  // namespace latimer
