// The tiles to test with on this CPU, and models written in them.
#ifndef LATIMER_TESTS_SYSTEM_USABLE_TILE_H_
#define LATIMER_TESTS_SYSTEM_USABLE_TILE_H_

#include "base/check.h"
#include "converter/known_answer.h"
#include "converter/model_writer.h"

namespace latimer {

inline Tile UsableTile(WeightType type = WeightType::kInt8) {
  const std::optional<Tile> tile = TileForThisCpu(type);
  LATIMER_CHECK(tile.has_value());
  return *tile;
}

inline WriteOptions OptionsForThisCpu(WeightType weights = WeightType::kInt8,
                                      Tile tile = UsableTile()) {
  return {.weights = weights,
          .tile = tile,
          .f32_tile = UsableTile(WeightType::kF32),
          .progress = {}};
}

inline ModelBytes WriteForThisCpu(const CanonicalModel& model,
                                  WeightType weights,
                                  Tile tile = UsableTile()) {
  return WriteModel(model, OptionsForThisCpu(weights, tile));
}

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_USABLE_TILE_H_
