#include "transformer/greedy_search.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/clock.h"
#include "transformer/capture.h"
#include "transformer/encoder.h"
#include "transformer/lane_caches.h"
#include "transformer/linear.h"
#include "transformer/probe.h"
#include "transformer/pruned_argmax.h"
#include "transformer/shortlist.h"

namespace latimer {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

constexpr size_t kShortlistMasks =
    Elements(Buffer::kShortlist, sizeof(uint16_t)) / kProfile.lanes;

bool HasShortlist(const RunContext& context) {
  return kProfile.shortlist && context.model.info.has_shortlist;
}

// The token that comes next whatever the logits are; -1: none.
int32_t ForcedToken(const Lane& lane) {
  const SearchRules& rules = lane.rules;
  if (lane.count + 1 == rules.max_tokens && rules.forced_last_token >= 0) {
    return rules.forced_last_token;
  }
  return lane.count == 0 ? rules.forced_first_token : -1;
}

[[maybe_unused]] bool IsPruned(const RunContext& context) {
  return kProfile.pruned_argmax && context.model.info.pruned_argmax;
}

bool NeedsAllLogits(const SearchRules& rules) {
  return rules.scores || rules.repetition_penalty != 1.0f;
}

// Where more than a quarter of the logits had to be computed, all of them would
// have taken less time. So the next step computes all, and twice as many each
// time that this is found again.
void LearnFromStep(const BestToken& best, size_t vocabulary, Lane& lane) {
  constexpr uint32_t kMostSteps = 255;
  const bool flat = best.computed > vocabulary / 4;
  lane.flat_steps = flat ? std::min(2 * lane.flat_steps + 1, kMostSteps) : 0;
  lane.unpruned_steps = lane.flat_steps;
}

// Whether the caller wants more. What a sentence that begins anew made before,
// the caller knows.
bool Report(Lane& lane, int32_t token) {
  if (lane.rules.on_token == nullptr || lane.count <= lane.reported) {
    return true;
  }
  lane.reported = lane.count;
  return lane.rules.on_token(lane.rules.token_context, lane.count - 1, token);
}

// Rows for which the largest logits take less time than bounds of them: by the
// kernels for AVX512-VNNI, hot and cold.
constexpr size_t kFewestExactRows = 8;

Prefix PrefixOf(const RunContext& context, const Lane& lane) {
  return {lane.rules.decoder_start, lane.target(context), lane.count + 1};
}

void Encode(RunContext& context, Lane& lane) {
  const std::span<const int32_t> source(lane.source(context),
                                        lane.source_tokens);
  context.clock.Start(lane.rules.times, Phase::kEncoder);
  RunEncoder(context, source, lane.caches);
  context.clock.Start(lane.rules.times, Phase::kCrossKv);
  FillCrossKv(context, lane.caches);
  context.clock.Lap(Operation::kQkv);
  if (HasShortlist(context)) {
    context.clock.Start(lane.rules.times, Phase::kDecoder);
    lane.caches.shortlist =
        context.workspace->shortlist + lane.number * kShortlistMasks;
    FillShortlist(context, source, lane.caches.shortlist);
    context.masked_logits = nullptr;
    context.clock.Lap(Operation::kSearch);
  }
}

}  // namespace

void GreedySearch::Reset() {
  for (uint32_t i = 0; i < kProfile.lanes; ++i) {
    lanes_[i] = Lane{};
    lanes_[i].number = i;
  }
  under_way_ = 0;
  crowded_ = false;
}

Lane* GreedySearch::FreeLane() {
  for (Lane& lane : lanes_) {
    if (lane.state == Lane::State::kFree) return &lane;
  }
  return nullptr;
}

void GreedySearch::Begin(Lane& lane, size_t source_tokens,
                         const SearchRules& rules) {
  lane.state = source_tokens > 0 ? Lane::State::kQueued : Lane::State::kDone;
  lane.age = begun_++;
  lane.rules = rules;
  lane.source_tokens = source_tokens;
  lane.count = 0;
  lane.reported = 0;
  lane.loops.Reset();
  lane.stop_reason = StopReason::kEos;
  lane.generated = 0;
  lane.flat_steps = lane.unpruned_steps = 0;
  ++under_way_;
}

Lane* GreedySearch::Oldest(Lane::State state, uint64_t from_age) {
  Lane* oldest = nullptr;
  for (Lane& lane : lanes_) {
    if (lane.state == state && lane.age >= from_age &&
        (oldest == nullptr || lane.age < oldest->age)) {
      oldest = &lane;
    }
  }
  return oldest;
}

Lane* GreedySearch::Done() { return Oldest(Lane::State::kDone, 0); }

void GreedySearch::Free(Lane& lane) {
  lane.state = Lane::State::kFree;
  --under_way_;
}

void GreedySearch::StartQueued(RunContext& context) {
  while (!crowded_) {
    Lane* lane = Oldest(Lane::State::kQueued, 0);
    if (lane == nullptr || !PlaceCaches(context, lanes_, *lane)) return;
    lane->state = Lane::State::kDecoding;
    Encode(context, *lane);
  }
}

// A forced last token needs no step: what would have stood in its place, and
// what comes after it, is nobody's concern.
bool GreedySearch::NeedsNoStep(RunContext& context, Lane& lane) {
  if (lane.count + 1 < lane.rules.max_tokens ||
      lane.rules.forced_last_token < 0) {
    return false;
  }
  Force(context, lane, lane.rules.forced_last_token);
  return true;
}

// Rows of all sentences for whose next token there is room. Where that is none,
// the youngest gives up its room and begins anew when another is done.
void GreedySearch::CollectRows(RunContext& context) {
  row_count_ = 0;
  for (;;) {
    Lane* youngest = nullptr;
    bool finished = false;
    for (Lane* lane = Oldest(Lane::State::kDecoding, 0); lane != nullptr;
         lane = Oldest(Lane::State::kDecoding, lane->age + 1)) {
      if (NeedsNoStep(context, *lane)) {
        finished = true;
        continue;
      }
      youngest = lane;
      if (!GrowCaches(context, lanes_, *lane)) continue;
      const int32_t token = lane->count == 0
                                ? lane->rules.decoder_start
                                : lane->target(context)[lane->count - 1];
      rows_[row_count_] = {&lane->caches, token, lane->count};
      row_lanes_[row_count_++] = lane;
    }
    if (row_count_ > 0 || finished || youngest == nullptr) return;
    DropCaches(*youngest);
    youngest->state = Lane::State::kQueued;
    youngest->count = 0;
    youngest->loops.Reset();
    crowded_ = true;
  }
}

void GreedySearch::Append(RunContext& context, Lane& lane, int32_t token) {
  const SearchRules& rules = lane.rules;
  token = ProbeToken(lane.count, token);
  int32_t* const target = lane.target(context);
  target[lane.count++] = token;
  const bool goes_on = Report(lane, token);
  const bool is_full = lane.count == rules.max_tokens;
  if (token == rules.eos && !(is_full && rules.forced_last_token >= 0)) {
    return Stop(lane, StopReason::kEos);
  }
  if (is_full) return Stop(lane, StopReason::kLengthLimit);
  if (rules.guards_loops) {
    lane.loops.Add(target, lane.count);
    if (const size_t kept =
            lane.loops.EndOfFirstCopy(lane.count, rules.loop_allowance);
        kept > 0) {
      Stop(lane, StopReason::kLoop);
      lane.count = kept;
      return;
    }
  }
  if (!goes_on) return Stop(lane, StopReason::kCancelled);
  if (lane.count == rules.budget_tokens) Stop(lane, StopReason::kBudget);
}

void GreedySearch::Stop(Lane& lane, StopReason reason) {
  lane.stop_reason = reason;
  lane.generated = lane.count;
  lane.state = Lane::State::kDone;
  DropCaches(lane);
  crowded_ = false;
}

// Sentences that may have no token more, begun or not.
void GreedySearch::StopLate() {
  uint64_t now = 0;
  for (Lane& lane : lanes_) {
    if (lane.state != Lane::State::kQueued &&
        lane.state != Lane::State::kDecoding) {
      continue;
    }
    const SearchRules& rules = lane.rules;
    if (rules.cancel != nullptr &&
        rules.cancel->load(std::memory_order_relaxed)) {
      Stop(lane, StopReason::kCancelled);
    } else if (rules.deadline != 0) {
      if (now == 0) now = MonotonicNanoseconds();
      if (now >= rules.deadline) Stop(lane, StopReason::kBudget);
    }
  }
}

void GreedySearch::Force(RunContext& context, Lane& lane, int32_t token) {
  if constexpr (kProfile.token_scores) {
    if (lane.rules.scores) {
      context.workspace->token_scores[lane.count] = {0.0f, -kNever};
    }
  }
  Append(context, lane, token);
}

void GreedySearch::Step(RunContext& context) {
  StopLate();
  StartQueued(context);
  CollectRows(context);
  if (row_count_ == 0) return;
  // Of sentences side by side the oldest pays.
  context.clock.Start(row_lanes_[0]->rules.times, Phase::kDecoder);
  ChooseTokens(context, StepDecoder(context, {rows_, row_count_}));
}

void GreedySearch::ChooseTokens(RunContext& context,
                                const DecoderOutput& output) {
  if constexpr (kProfile.pruned_argmax) {
    if (IsPruned(context)) return ChooseFromBounds(context, output);
  }
  // A shortlist leaves most of the output matrix.
  if (row_count_ > 1 && !HasShortlist(context)) {
    return ChooseFromWindows(context, output);
  }
  for (size_t i = 0; i < row_count_; ++i) {
    Lane& lane = *row_lanes_[i];
    ComputeOutput(context, output.x + i * output.columns, output.columns,
                  lane.caches);
    context.clock.Lap(Operation::kOutput);
    if (const int32_t forced = ForcedToken(lane); forced >= 0) {
      Force(context, lane, forced);
    } else {
      ChooseFromLogits(context, lane);
    }
    context.clock.Lap(Operation::kSearch);
  }
}

void GreedySearch::ChooseFromLogits(RunContext& context, Lane& lane) {
  const size_t vocabulary = context.model.info.architecture.target_vocabulary;
  float* logits = context.workspace->logits;
  ProbeOutput(ProbePoint::kLogits, 0, logits, vocabulary);
  ApplyRules(lane.rules, PrefixOf(context, lane), {logits, 0, vocabulary});
  const size_t best = context.vector->argmax(vocabulary, logits);
  if constexpr (kProfile.token_scores) {
    if (lane.rules.scores) {
      context.workspace->token_scores[lane.count] =
          ScoreToken(context, best, logits);
      context.masked_logits = nullptr;
    }
  }
  Append(context, lane, static_cast<int32_t>(best));
}

void GreedySearch::ChooseFromBounds(RunContext& context,
                                    const DecoderOutput& output) {
  PrepareInput(context, output.x, row_count_, output.columns);
  uint32_t bounded[kProfile.lanes];
  size_t count = 0;
  for (uint32_t row = 0; row < row_count_; ++row) {
    Lane& lane = *row_lanes_[row];
    if (const int32_t forced = ForcedToken(lane); forced >= 0) {
      Force(context, lane, forced);
    } else if (NeedsAllLogits(lane.rules)) {
      UnprunedLogits(context, row);
      context.clock.Lap(Operation::kOutput);
      ChooseFromLogits(context, lane);
      context.clock.Lap(Operation::kSearch);
    } else {
      bounded[count++] = row;
    }
  }
  const size_t most = MostBoundedRows(context);
  for (size_t begin = 0; begin < count; begin += most) {
    ChooseBounded(context, {bounded + begin, std::min(count - begin, most)});
  }
}

void GreedySearch::ChooseBounded(RunContext& context,
                                 std::span<const uint32_t> rows) {
  const size_t vocabulary = context.model.info.architecture.target_vocabulary;
  const bool exact = rows.size() >= kFewestExactRows ||
                     std::any_of(rows.begin(), rows.end(), [&](uint32_t row) {
                       return row_lanes_[row]->unpruned_steps > 0;
                     });
  BoundLogits(context, rows, exact ? Bounds::kExact : Bounds::kHighNibbles);
  context.clock.Lap(Operation::kOutput);
  for (size_t i = 0; i < rows.size(); ++i) {
    Lane& lane = *row_lanes_[rows[i]];
    const BestToken best =
        FindBestToken(context, rows, i, lane.rules, PrefixOf(context, lane));
    if (!exact) {
      LearnFromStep(best, vocabulary, lane);
    } else if (lane.unpruned_steps > 0) {
      --lane.unpruned_steps;
    }
    Append(context, lane, static_cast<int32_t>(best.token));
  }
  context.clock.Lap(Operation::kSearch);
}

// The output matrix is read once for all rows, some channels at a time: as many
// as leave their logits in the first-level cache.
void GreedySearch::ChooseFromWindows(RunContext& context,
                                     const DecoderOutput& output) {
  struct Best {
    float logit = kNever;
    size_t token = 0;
  };
  Best best[kProfile.lanes];
  const Linear& matrix = context.model.tensors.output;
  const LinearInput input =
      PrepareInput(context, output.x, row_count_, output.columns);
  float* logits = context.workspace->logits;
  const uint32_t most = MostWindowTokens(context, row_count_);
  for (uint32_t first = 0; first < matrix.n; first += most) {
    const uint32_t size = std::min(most, matrix.n - first);
    ComputeLogitWindow(context, input, first, first + size);
    context.clock.Lap(Operation::kOutput);
    for (size_t i = 0; i < row_count_; ++i) {
      float* row = logits + i * size;
      ApplyRules(row_lanes_[i]->rules, PrefixOf(context, *row_lanes_[i]),
                 {row, first, size});
      const size_t token = context.vector->argmax(size, row);
      if (row[token] > best[i].logit) best[i] = {row[token], first + token};
    }
    context.clock.Lap(Operation::kSearch);
  }
  for (size_t i = 0; i < row_count_; ++i) {
    Lane& lane = *row_lanes_[i];
    const int32_t forced = ForcedToken(lane);
    if (forced >= 0) {
      Force(context, lane, forced);
    } else {
      Append(context, lane, static_cast<int32_t>(best[i].token));
    }
  }
}

}  // namespace latimer
