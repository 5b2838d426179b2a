#include "converter/choose_types.h"

#include <algorithm>
#include <array>
#include <utility>

#include "converter/error.h"
#include "converter/readers/name_pattern.h"

namespace latimer {
namespace {

// "decoder.0.cross_attention.kv" -> "decoder.cross_attention".
std::string KindOf(const std::string& matrix) {
  const size_t layer = matrix.find('.');
  if (layer == std::string::npos) return matrix;
  const size_t part = matrix.find('.', layer + 1);
  if (part == std::string::npos) return matrix.substr(0, layer);
  return matrix.substr(0, layer) +
         matrix.substr(part, matrix.find('.', part + 1) - part);
}

class TypeChooser {
 public:
  TypeChooser(std::vector<MatrixKind> kinds, double most,
              const std::function<double(const MatrixTypes&)>& loss_of)
      : loss_of_(loss_of) {
    chosen_.most = most;
    for (MatrixKind& kind : kinds) {
      chosen_.kinds.push_back({.kind = std::move(kind)});
    }
    SetAll(WeightType::kInt8);
  }

  ChosenTypes Choose() {
    chosen_.int8_loss = chosen_.loss = loss_of_(chosen_.types);
    if (chosen_.loss > chosen_.most && !BeginWithF16()) {
      return std::move(chosen_);
    }
    WeightType type = WeightType::kInt8;
    while (const std::optional<WeightType> next = FewerBits(type)) {
      Lower(type, *next);
      type = *next;
    }
    return std::move(chosen_);
  }

 private:
  void SetAll(WeightType type) {
    for (KindChoice& choice : chosen_.kinds) {
      choice.type = type;
      for (const std::string& name : choice.kind.matrices) {
        chosen_.types[name] = type;
      }
    }
  }

  // Whether f16 keeps the loss; then some kinds are int8 again.
  bool BeginWithF16() {
    SetAll(WeightType::kF16);
    chosen_.f16_loss = loss_of_(chosen_.types);
    if (*chosen_.f16_loss > chosen_.most) {
      SetAll(WeightType::kInt8);
      return false;
    }
    chosen_.loss = *chosen_.f16_loss;
    // Not all at once, which was tried.
    for (KindChoice& choice : chosen_.kinds) {
      Try(std::array{&choice}, WeightType::kInt8);
    }
    return true;
  }

  void Lower(WeightType from, WeightType to) {
    std::vector<KindChoice*> candidates;
    for (KindChoice& choice : chosen_.kinds) {
      if (choice.type == from && MayHave(choice.kind, to)) {
        candidates.push_back(&choice);
      }
    }
    if (candidates.size() > 1 && Try(candidates, to)) return;
    for (KindChoice* choice : candidates) Try(std::array{choice}, to);
  }

  // Whether they are `type` now.
  bool Try(std::span<KindChoice* const> choices, WeightType type) {
    MatrixTypes types = chosen_.types;
    for (const KindChoice* choice : choices) {
      for (const std::string& name : choice->kind.matrices) types[name] = type;
    }
    const double loss = loss_of_(types);
    const bool keeps = loss <= chosen_.most;
    for (KindChoice* choice : choices) {
      if (keeps) {
        choice->type = type;
        choice->refused.reset();
      } else {
        choice->refused = {type, loss};
      }
    }
    if (!keeps) return false;
    chosen_.types = std::move(types);
    chosen_.loss = loss;
    return true;
  }

  const std::function<double(const MatrixTypes&)>& loss_of_;
  ChosenTypes chosen_;
};

}  // namespace

std::optional<WeightType> FewerBits(WeightType type) {
  std::optional<WeightType> next;
  ForEachWeightType([&](WeightType other) {
    if (!IsInteger(other) || InfoOf(other).bits >= InfoOf(type).bits) return;
    if (!next || InfoOf(other).bits > InfoOf(*next).bits) next = other;
  });
  return next;
}

bool MayHave(const MatrixKind& kind, WeightType type) {
  return InfoOf(type).has_rows || !kind.looked_up;
}

std::vector<MatrixKind> KindsOf(std::span<const PlannedTensor> tensors) {
  std::vector<MatrixKind> kinds;
  for (const PlannedTensor& tensor : tensors) {
    if (tensor.kind != PlannedTensor::Kind::kLinear) continue;
    const std::string name = KindOf(tensor.key);
    auto kind = std::ranges::find(kinds, name, &MatrixKind::name);
    if (kind == kinds.end()) {
      kind = kinds.insert(kind, MatrixKind{.name = name, .matrices = {}});
    }
    kind->matrices.push_back(tensor.key);
    kind->weights += uint64_t{tensor.rows} * tensor.columns;
    kind->looked_up = kind->looked_up || IsLookedUp(tensor.group);
  }
  std::ranges::stable_sort(kinds, std::greater(), &MatrixKind::weights);
  return kinds;
}

std::set<std::string> MatricesLike(const std::string& type,
                                   std::span<const std::string> patterns,
                                   std::span<const MatrixKind> kinds) {
  std::set<std::string> names;
  size_t all = 0;
  for (const MatrixKind& kind : kinds) all += kind.matrices.size();
  for (const std::string& pattern : patterns) {
    bool fits = false;
    for (const MatrixKind& kind : kinds) {
      const bool whole = MatchesWildcard(pattern, kind.name);
      for (const std::string& name : kind.matrices) {
        if (!whole && !MatchesWildcard(pattern, name)) continue;
        names.insert(name);
        fits = true;
      }
    }
    if (fits) continue;
    std::string examples;
    for (const MatrixKind& kind : kinds) {
      examples += (examples.empty() ? "" : ", ") + kind.matrices.front();
    }
    FailWith("--keep-", type, " ", pattern,
             ": no matrix has such a name; there are ", examples,
             ", and those of more layers.");
  }
  if (names.size() == all) {
    FailWith("--keep-", type, " keeps all matrices; give --weights ", type,
             " instead.");
  }
  return names;
}

ChosenTypes ChooseTypes(
    std::vector<MatrixKind> kinds, double most,
    const std::function<double(const MatrixTypes&)>& loss_of) {
  return TypeChooser(std::move(kinds), most, loss_of).Choose();
}

}  // namespace latimer
