// The caches of keys and values, shared by the sentences under way. Each has a
// region for its source and one for its translation, which grows, and moves if
// it cannot grow where it is.
#ifndef LATIMER_SEARCH_CACHE_POOL_H_
#define LATIMER_SEARCH_CACHE_POOL_H_

#include <cstddef>
#include <span>

#include "model/model_description.h"
#include "transformer/buffers.h"

namespace latimer {

// Tokens of a pool: [begin, begin + tokens).
struct CacheRegion {
  size_t begin = 0;
  size_t tokens = 0;  // 0: none.

  size_t end() const { return begin + tokens; }
};

// Room for `tokens` tokens of [layers, row] floats. A region of n tokens is
// [layers, n, row].
struct CachePool {
  float* memory = nullptr;
  size_t tokens = 0;
  size_t layers = 0;
  size_t row = 0;

  float* At(const CacheRegion& region) const {
    return memory + region.begin * layers * row;
  }
};

// Finds the first free region of `tokens` tokens. Returns false if there is
// none.
bool FindRegion(const CachePool& pool, std::span<const CacheRegion> taken,
                size_t tokens, CacheRegion* out);

// Moves the first `count` tokens of each layer from one region to another,
// which is at least as long and may overlap the first.
void MoveTokens(const CachePool& pool, const CacheRegion& from,
                const CacheRegion& to, size_t count);

// The caches of all sentences.
struct CachePools {
  CachePool cross;
  CachePool self;           // row 0: `states` are kept instead.
  float* states = nullptr;  // [lanes, state]
  size_t state = 0;
  // GRUs and LSTMs: columns of the memory, and the keys; null if the keys of
  // each sentence come after its memory.
  size_t recurrent_memory = 0;
  float* recurrent_keys = nullptr;
};
CachePools MakeCachePools(const Architecture& a, const Buffers& workspace);

}  // namespace latimer

#endif  // LATIMER_SEARCH_CACHE_POOL_H_
