// How many matrices of a model have weights of each type.
#ifndef LATIMER_MODEL_MATRIX_COUNTS_H_
#define LATIMER_MODEL_MATRIX_COUNTS_H_

#include <cstddef>
#include <cstdint>

#include "model/model_description.h"
#include "ops/xnnpack/weight_types.h"

namespace latimer {

// Where ModelDescription counts them, by the value of WeightType; null: it does
// not, because it names the type that all others have.
inline constexpr uint32_t ModelDescription::*kMatrixCounts[kWeightTypeCount] = {
    nullptr, nullptr, &ModelDescription::int4_matrices,
    &ModelDescription::f16_matrices, &ModelDescription::int6_matrices};

// Whether the model has matrices of a type that is counted.
constexpr bool HasMatrices(const ModelDescription& info, WeightType type) {
  uint32_t ModelDescription::*const count =
      kMatrixCounts[static_cast<size_t>(type)];
  return count != nullptr && info.*count > 0;
}

constexpr void CountMatrix(WeightType type, ModelDescription* info) {
  uint32_t ModelDescription::*const count =
      kMatrixCounts[static_cast<size_t>(type)];
  if (count != nullptr) ++(info->*count);
}

// What a profile needs for the matrices that are counted.
constexpr void SetMatrixTypes(const ModelDescription& info, Profile* profile) {
  ForEachWeightType([&](WeightType type) {
    if (kMatrixCounts[static_cast<size_t>(type)] == nullptr) return;
    profile->*InfoOf(type).in_profile = HasMatrices(info, type);
  });
}

}  // namespace latimer

#endif  // LATIMER_MODEL_MATRIX_COUNTS_H_
