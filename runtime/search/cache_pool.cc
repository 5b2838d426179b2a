#include "search/cache_pool.h"

#include <algorithm>
#include <cstring>

#include "transformer/network.h"

namespace latimer {

bool FindRegion(const CachePool& pool, std::span<const CacheRegion> taken,
                size_t tokens, CacheRegion* out) {
  const auto is_free = [&](size_t begin) {
    return tokens <= pool.tokens && begin <= pool.tokens - tokens &&
           std::ranges::none_of(taken, [&](const CacheRegion& other) {
             return other.tokens > 0 && begin < other.end() &&
                    other.begin < begin + tokens;
           });
  };
  // The first free region begins at 0 or where another one ends.
  bool found = is_free(0);
  size_t first = 0;
  for (const CacheRegion& other : taken) {
    if ((found && other.end() >= first) || !is_free(other.end())) continue;
    found = true;
    first = other.end();
  }
  if (found) *out = {first, tokens};
  return found;
}

void MoveTokens(const CachePool& pool, const CacheRegion& from,
                const CacheRegion& to, size_t count) {
  const auto move = [&](size_t layer) {
    std::memmove(pool.At(to) + layer * to.tokens * pool.row,
                 pool.At(from) + layer * from.tokens * pool.row,
                 count * pool.row * sizeof(float));
  };
  const auto moves_down = [&](size_t layer) {
    return to.begin * pool.layers + layer * to.tokens <
           from.begin * pool.layers + layer * from.tokens;
  };
  // A region does not shrink, so the layers that move down are the first ones.
  // In this order no layer is overwritten before it has moved.
  size_t layer = 0;
  for (; layer < pool.layers && moves_down(layer); ++layer) move(layer);
  for (size_t i = pool.layers; i-- > layer;) move(i);
}

CachePools MakeCachePools(const Architecture& a, const Buffers& workspace) {
  const auto pool = [](std::span<float> memory, size_t layers, size_t row) {
    const size_t token = layers * row;
    return CachePool{memory.data(), token == 0 ? 0 : memory.size() / token,
                     layers, row};
  };
  const CacheShape shape = CacheShapeOf(a);
  CachePools pools;
  pools.cross = pool(workspace.cross_kv, shape.cross_layers, shape.cross_row);
  pools.self = pool(workspace.self_kv, shape.self_layers, shape.self_row);
  pools.states = workspace.self_kv.data();
  pools.state = shape.state;
  if (a.is_recurrent()) {
    pools.recurrent_memory = a.recurrent.memory_width();
    if (workspace.rows == 1) {
      // Decoder steps leave these two buffers alone, so the memory stays where
      // the encoder writes it.
      pools.cross = pool({workspace.hidden, workspace.hidden_floats}, 1,
                         pools.recurrent_memory);
      pools.recurrent_keys = workspace.projection;
    }
  }
  return pools;
}

}  // namespace latimer
