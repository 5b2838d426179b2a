// Chooses the type of each kind of matrix: the fewest bits that keep a loss.
#ifndef LATIMER_CONVERTER_CHOOSE_TYPES_H_
#define LATIMER_CONVERTER_CHOOSE_TYPES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "converter/quantize.h"
#include "converter/tensor_plan.h"

namespace latimer {

// The matrices of all layers that do the same, such as "decoder.ffn".
struct MatrixKind {
  std::string name;
  std::vector<std::string> matrices;
  uint64_t weights = 0;
  bool looked_up = false;  // Rows of some of them are.
};

// Those of a model, the one with the most weights first.
std::vector<MatrixKind> KindsOf(std::span<const PlannedTensor> tensors);

// The names of the matrices that a pattern of --keep-`type` fits, which is the
// name of a kind or of a matrix, with `*` for any text. Throws ConversionError
// if a pattern fits none, or if all matrices fit.
std::set<std::string> MatricesLike(const std::string& type,
                                   std::span<const std::string> patterns,
                                   std::span<const MatrixKind> kinds);

// A type that would have led to this loss, which is too much.
struct RefusedType {
  WeightType type;
  double loss;
};

// What was chosen for a kind.
struct KindChoice {
  MatrixKind kind;
  WeightType type = WeightType::kInt8;
  // The one with fewer bits; none: it was not tried.
  std::optional<RefusedType> refused = {};
};

struct ChosenTypes {
  std::vector<KindChoice> kinds;
  MatrixTypes types;
  double most = 0;       // As asked for.
  double loss = 0;       // With these types.
  double int8_loss = 0;  // With int8 for all.
  // With f16 for all; none: it was not tried, since int8 loses little enough.
  std::optional<double> f16_loss = {};
  // For the caller to set: what these are shares of, if not of lines, and lines
  // that come out otherwise with these types.
  uint64_t tokens = 0;
  uint64_t lines = 0;
  bool of_lines = false;
  double lost_lines = 0;
  bool calibrated = false;
};

// The integers of fewer bits that come next; none: these have the fewest.
std::optional<WeightType> FewerBits(WeightType type);
// Whether matrices of this kind may have the type.
bool MayHave(const MatrixKind& kind, WeightType type);

// Gives all kinds the integers that come after int8 if that loses at most
// `most`, else as many as possible, the largest first; then to those that have
// them the next ones in the same way. `loss_of` measures types. If int8 alone
// loses more, all begin as f16, and as many as possible become int8 before. If
// even f16 loses more, everything stays int8.
ChosenTypes ChooseTypes(
    std::vector<MatrixKind> kinds, double most,
    const std::function<double(const MatrixTypes&)>& loss_of);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_CHOOSE_TYPES_H_
