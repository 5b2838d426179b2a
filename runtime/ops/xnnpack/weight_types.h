// The table of the types of weights. What depends on a type asks the table for
// a property; only kernels and what packs for them name a type.
#ifndef LATIMER_OPS_XNNPACK_WEIGHT_TYPES_H_
#define LATIMER_OPS_XNNPACK_WEIGHT_TYPES_H_

#include <cstddef>
#include <cstdint>

#include "latimer/internal/profile.h"

namespace latimer {

// The values are the model file's; see schema/model.fbs.
enum class WeightType : uint8_t {
  kF32,
  kInt8,  // Symmetric, one scale per output channel: XNNPACK's qc8w.
  kInt4,  // The same with -8..7: qc4w.
  kF16,   // Converted to f32 when read: ops/gemm_float_isa.cc.
  kInt6,  // As kInt8 with -31..31.
};

// Which tile the matrices of a type have.
enum class TileRule : uint8_t {
  kOfModel,
  // That of the model without its shuffle, for which XNNPACK has no kernels.
  kUnshuffled,
  k16x1,  // One for all models.
};

struct WeightTypeInfo {
  const char* name;
  const char* weights;        // What messages call them.
  bool Profile::*in_profile;  // Whether a build has kernels for them.
  uint8_t bits;               // Of a weight.
  // Of integers: the least and the most. Floats: 0. Sums of integers are exact,
  // so every CPU gives the same bits; those of floats depend on the CPU.
  int8_t least, most;
  uint8_t bytes_beside;  // Of a channel of a block: sum, scale, zero.
  // Inputs are padded to so many groups of the tile, and the weights of a block
  // to so many.
  uint8_t groups;
  uint8_t chunk;
  TileRule tile;
  bool in_int8_models;  // Whether some matrices of an int8 model may have it.
  bool has_rows;        // Whether rows can be looked up, as embeddings are.
  bool signed_scales;
};

// By the value of WeightType.
inline constexpr WeightTypeInfo kWeightTypes[] = {
    // clang-format off
    // name, in messages, in the profile, bits, least and most, beside,
    // groups and chunk, tile, in int8 models, has rows, signed scales
    {"f32", "f32 weights", &Profile::f32_weights, 32, 0, 0, 4,
     1, 1, TileRule::kOfModel, false, true, false},
    {"int8", "int8 weights", &Profile::int8_weights, 8, -127, 127, 12,
     1, 1, TileRule::kOfModel, true, true, false},
    {"int4", "int4 weights", &Profile::int4_weights, 4, -8, 7, 12,
     2, 1, TileRule::kUnshuffled, true, false, true},
    {"f16", "f16 weights", &Profile::f16_weights, 16, 0, 0, 0,
     1, 1, TileRule::k16x1, true, true, false},
    {"int6", "int6 weights", &Profile::int6_weights, 6, -31, 31, 12,
     1, 128, TileRule::kOfModel, true, true, false},
    // clang-format on
};
inline constexpr size_t kWeightTypeCount =
    sizeof(kWeightTypes) / sizeof(kWeightTypes[0]);

constexpr const WeightTypeInfo& InfoOf(WeightType type) {
  return kWeightTypes[static_cast<size_t>(type)];
}
constexpr const char* NameOf(WeightType type) { return InfoOf(type).name; }
// Whether weights are integers with a scale for each channel.
constexpr bool IsInteger(WeightType type) { return InfoOf(type).most > 0; }
// Whether a byte holds more than one weight, so that chunks are unpacked.
constexpr bool IsChunked(WeightType type) { return InfoOf(type).chunk > 1; }
// What weights become whose channels are copied one by one: a chunk belongs to
// several. The products are the same.
constexpr WeightType GatheredType(WeightType type) {
  return IsChunked(type) ? WeightType::kInt8 : type;
}
constexpr bool InProfile(const Profile& profile, WeightType type) {
  return profile.*InfoOf(type).in_profile;
}
// Whether matrices of a model whose tile holds `of_model` may have a type.
constexpr bool MayBeIn(WeightType of_model, WeightType type) {
  return type == of_model ||
         (of_model == WeightType::kInt8 && InfoOf(type).in_int8_models);
}

// Calls visit(type) for each type.
template <typename Visit>
constexpr void ForEachWeightType(const Visit& visit) {
  for (size_t i = 0; i < kWeightTypeCount; ++i) {
    visit(static_cast<WeightType>(i));
  }
}

}  // namespace latimer

#endif  // LATIMER_OPS_XNNPACK_WEIGHT_TYPES_H_
