// The caches of keys and values, shared by the lanes: each has a region of as
// many tokens as its sentence needs. A source's length is known; that of a
// translation is not, so its region grows, and moves where it must.
#ifndef LATIMER_TRANSFORMER_LANE_CACHES_H_
#define LATIMER_TRANSFORMER_LANE_CACHES_H_

#include <span>

#include "transformer/lane.h"

namespace latimer {

// Gives lane.caches room for its source and for the beginning of its
// translation. False where there is none beside the other lanes; alone it has
// room for the longest.
bool PlaceCaches(RunContext& context, std::span<Lane> lanes, Lane& lane);

// Makes room for one more target token, which may move self_kv. False: as
// PlaceCaches.
bool GrowCaches(RunContext& context, std::span<Lane> lanes, Lane& lane);

// Frees the lane's room.
void DropCaches(Lane& lane);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_LANE_CACHES_H_
