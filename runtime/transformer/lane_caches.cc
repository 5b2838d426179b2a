#include "transformer/lane_caches.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace latimer {
namespace {

// A cache, in floats: of all layers of one token, and of one layer.
struct Pool {
  size_t tokens;
  size_t layers;
  size_t row;

  size_t token() const { return layers * row; }
};

Pool CrossPool(const Architecture& a) {
  constexpr size_t kFloats = Elements(Buffer::kCrossKv, sizeof(float));
  Pool pool{.tokens = 0,
            .layers = a.decoder_layers,
            .row = 2 * size_t{a.decoder_attention_width()}};
  if (a.network_kind == NetworkKind::kGru) {
    const Recurrent& r = a.recurrent;
    pool.layers = 1;
    pool.row =
        r.memory_width() + (r.attention_function == AttentionFunction::kDot
                                ? 0
                                : r.attention_hidden);
  }
  pool.tokens = kFloats / pool.token();
  return pool;
}

Pool SelfPool(const Architecture& a) {
  constexpr size_t kFloats = Elements(Buffer::kSelfKv, sizeof(float));
  Pool pool{.tokens = 0,
            .layers = a.decoder_layers,
            .row = 2 * size_t{a.decoder_attention_width()}};
  pool.tokens = kFloats / pool.token();
  return pool;
}

bool KeepsStates(const Architecture& a) {
  return a.network_kind != NetworkKind::kTransformer;
}

// Finds the first place for `tokens` tokens in a pool, beside the regions of
// all lanes but `lane`.
bool FindPlace(std::span<const Lane> lanes, CacheRegion Lane::*region,
               const Pool& pool, size_t tokens, const Lane& lane,
               CacheRegion* out) {
  const auto is_free = [&](size_t begin) {
    if (tokens > pool.tokens || begin > pool.tokens - tokens) return false;
    return std::none_of(lanes.begin(), lanes.end(), [&](const Lane& other) {
      const CacheRegion& taken = other.*region;
      return &other != &lane && taken.tokens > 0 && begin < taken.end() &&
             taken.begin < begin + tokens;
    });
  };
  bool found = is_free(0);
  size_t first = 0;
  for (const Lane& other : lanes) {
    const size_t begin = (other.*region).end();
    if ((found && begin >= first) || !is_free(begin)) continue;
    found = true;
    first = begin;
  }
  if (found) *out = {first, tokens};
  return found;
}

// Tokens that a translation is given room for at first: what most need, or
// more, where there is more for each.
size_t FirstTokens(const Lane& lane, const Pool& pool) {
  const size_t likely = lane.source_tokens + lane.source_tokens / 2 + 16;
  return std::min(lane.rules.max_tokens,
                  std::max(likely, pool.tokens / kProfile.lanes));
}

// Moves the `count` tokens of each layer from one region to another, which may
// overlap.
void MoveTokens(const Pool& pool, CacheRegion from, CacheRegion to,
                size_t count, float* cache) {
  const auto move = [&](size_t layer) {
    std::memmove(
        cache + to.begin * pool.token() + layer * to.tokens * pool.row,
        cache + from.begin * pool.token() + layer * from.tokens * pool.row,
        count * pool.row * sizeof(float));
  };
  const auto is_down = [&](size_t layer) {
    return to.begin * pool.layers + layer * to.tokens <
           from.begin * pool.layers + layer * from.tokens;
  };
  // A region grows, so those that move down are the first layers. Nothing is
  // written over before it has moved.
  size_t layer = 0;
  for (; layer < pool.layers && is_down(layer); ++layer) move(layer);
  for (size_t i = pool.layers; i-- > layer;) move(i);
}

float* SelfKvOf(RunContext& context, const Lane& lane, const Pool& pool) {
  return context.workspace->self_kv + lane.self.begin * pool.token();
}

void PlaceStates(RunContext& context, Lane& lane) {
  const Architecture& a = context.model.info.architecture;
  const size_t width = a.network_kind == NetworkKind::kGru
                           ? a.recurrent.decoder_hidden
                           : a.d_model;
  lane.caches.self_kv =
      context.workspace->self_kv + lane.number * a.decoder_layers * width;
  lane.caches.self_rows = lane.rules.max_tokens;
}

}  // namespace

bool PlaceCaches(RunContext& context, std::span<Lane> lanes, Lane& lane) {
  Workspace& workspace = *context.workspace;
  const Architecture& a = context.model.info.architecture;
  const bool gru = a.network_kind == NetworkKind::kGru;
  const Pool cross = CrossPool(a);
  SentenceCaches& caches = lane.caches;
  caches.source_tokens = lane.source_tokens;
  if (KeepsStates(a)) {
    PlaceStates(context, lane);
  } else {
    const Pool self = SelfPool(a);
    if (!FindPlace(lanes, &Lane::self, self, FirstTokens(lane, self), lane,
                   &lane.self)) {
      return false;
    }
    caches.self_kv = SelfKvOf(context, lane, self);
    caches.self_rows = lane.self.tokens;
  }
  if (gru && kProfile.lanes == 1) {
    // No step needs what the encoder worked in.
    caches.cross_kv = workspace.hidden;
    caches.gru_keys = workspace.projection;
    return true;
  }
  if (!FindPlace(lanes, &Lane::cross, cross, lane.source_tokens, lane,
                 &lane.cross)) {
    DropCaches(lane);
    return false;
  }
  caches.cross_kv = workspace.cross_kv + lane.cross.begin * cross.token();
  if (gru) {
    caches.gru_keys =
        caches.cross_kv + lane.source_tokens * a.recurrent.memory_width();
  }
  return true;
}

bool GrowCaches(RunContext& context, std::span<Lane> lanes, Lane& lane) {
  LATIMER_DCHECK(lane.count < lane.rules.max_tokens);
  if (lane.count < lane.caches.self_rows) return true;
  const Pool pool = SelfPool(context.model.info.architecture);
  CacheRegion larger;
  // By half, or by one token where there is not so much.
  const size_t wanted =
      std::min(lane.rules.max_tokens, lane.count + lane.count / 2 + 1);
  if (!FindPlace(lanes, &Lane::self, pool, wanted, lane, &larger) &&
      !FindPlace(lanes, &Lane::self, pool, lane.count + 1, lane, &larger)) {
    return false;
  }
  MoveTokens(pool, lane.self, larger, lane.count, context.workspace->self_kv);
  lane.self = larger;
  lane.caches.self_kv = SelfKvOf(context, lane, pool);
  lane.caches.self_rows = larger.tokens;
  return true;
}

void DropCaches(Lane& lane) { lane.cross = lane.self = {}; }

}  // namespace latimer
