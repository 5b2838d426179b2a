// The tile of the weights to test with on this CPU.
#ifndef LATIMER_TESTS_SYSTEM_USABLE_TILE_H_
#define LATIMER_TESTS_SYSTEM_USABLE_TILE_H_

#include "base/check.h"
#include "converter/known_answer.h"

namespace latimer {

inline Tile UsableTile(WeightType type = WeightType::kInt8) {
  const std::optional<Tile> tile = TileForThisCpu(type);
  LATIMER_CHECK(tile.has_value());
  return *tile;
}

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_USABLE_TILE_H_
