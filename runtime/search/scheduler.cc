#include "search/scheduler.h"

#include <algorithm>

#include "base/check.h"
#include "base/clock.h"
#include "transformer/probe.h"

namespace latimer {
namespace {

// The tokens that a translation has room for at first: as many as most need, or
// an equal share of the pool if that is more.
size_t FirstTokens(const Sentence& sentence, const CachePool& pool,
                   size_t lanes) {
  const size_t likely = sentence.source_count + sentence.source_count / 2 + 16;
  return sentence.most_beams() *
         std::min(sentence.most_tokens(),
                  std::max(likely, pool.tokens / lanes));
}

void DropCaches(Sentence& sentence) { sentence.cross = sentence.self = {}; }

// Reports a token, except one that was reported before a restart. Returns
// whether the caller wants more.
bool Report(Sentence& sentence, int32_t token) {
  const SearchOptions& options = sentence.options;
  if (options.on_token == nullptr ||
      sentence.target_count <= sentence.reported) {
    return true;
  }
  sentence.reported = sentence.target_count;
  return options.on_token(options.token_context, sentence.target_count - 1,
                          token);
}

// Tokens up to the first copy of a loop that the last one ends; 0: it ends
// none.
size_t EndOfLoop(Sentence& sentence) {
  const SearchOptions& options = sentence.options;
  if (!options.guards_loops) return 0;
  sentence.loops.Add(sentence.target, sentence.target_count);
  return sentence.loops.EndOfFirstCopy(sentence.target_count,
                                       options.loop_allowance);
}

// Whether a search that has ended lacks phrases, which are required from now
// on.
bool LacksPhrases(Sentence& sentence) {
  SearchOptions& options = sentence.options;
  return sentence.has_terms() && sentence.stop_reason < StopReason::kBudget &&
         options.phrases.RequireMissing(sentence.prefix(), *options.tokenizer);
}

}  // namespace

void Scheduler::Reset(const CachePools& pools, const Buffers& workspace) {
  pools_ = pools;
  lanes_ = workspace.lanes;
  rows_ = workspace.rows;
  for (uint32_t lane = 0; lane < lanes_; ++lane) {
    Sentence& sentence = sentences_[lane];
    sentence = Sentence{};
    sentence.lane = lane;
    sentence.source =
        workspace.source_tokens + lane * workspace.most_source_tokens;
  }
  targets_ = workspace.target_tokens;
  most_target_tokens_ = workspace.most_target_tokens;
  if constexpr (kProfile.beams > 1) beams_ = BeamMemory(workspace);
  state_floats_ = (workspace.beams > 1 ? 2 : 1) * pools.state;
  under_way_ = 0;
  crowded_ = false;
}

bool Scheduler::CanBegin() const {
  return under_way_ < lanes_ &&
         std::ranges::none_of(lanes(), [](const Sentence& sentence) {
           return sentence.state != Sentence::State::kFree &&
                  sentence.exclusive();
         });
}

bool Scheduler::has_queued() const {
  return std::ranges::any_of(lanes(), [](const Sentence& sentence) {
    return sentence.state == Sentence::State::kQueued;
  });
}

Sentence* Scheduler::FreeLane() {
  for (Sentence& sentence : lanes()) {
    if (sentence.state == Sentence::State::kFree) return &sentence;
  }
  return nullptr;
}

void Scheduler::Queue(Sentence& sentence) {
  sentence.state = sentence.source_count > 0 ? Sentence::State::kQueued
                                             : Sentence::State::kDone;
  sentence.age = begun_++;
  sentence.target_count = 0;
  sentence.pass = Pass::kSearch;
  sentence.phrases = {};
  sentence.rows = {};
  sentence.reported = 0;
  sentence.loops.Reset();
  sentence.stop_reason = StopReason::kEos;
  sentence.generated = 0;
  sentence.flat_steps = sentence.unpruned_steps = 0;
  ++under_way_;
}

Sentence* Scheduler::Oldest(Sentence::State state, uint64_t from_age) {
  Sentence* oldest = nullptr;
  for (Sentence& sentence : lanes()) {
    if (sentence.state == state && sentence.age >= from_age &&
        (oldest == nullptr || sentence.age < oldest->age)) {
      oldest = &sentence;
    }
  }
  return oldest;
}

Sentence* Scheduler::NextFinished() { return Oldest(Sentence::State::kDone); }

void Scheduler::Release(Sentence& sentence) {
  sentence.state = Sentence::State::kFree;
  sentence.rows = {};
  --under_way_;
}

void Scheduler::StopLate() {
  uint64_t now = 0;
  for (Sentence& sentence : lanes()) {
    if (sentence.state != Sentence::State::kQueued &&
        sentence.state != Sentence::State::kDecoding) {
      continue;
    }
    // The translation is there, so nothing may take it away.
    if (sentence.is_replay()) continue;
    const SearchOptions& options = sentence.options;
    if (options.cancel != nullptr &&
        options.cancel->load(std::memory_order_relaxed)) {
      Stop(sentence, StopReason::kCancelled);
    } else if (options.deadline != 0) {
      if (now == 0) now = MonotonicNanoseconds();
      if (now >= options.deadline) Stop(sentence, StopReason::kBudget);
    }
  }
}

Sentence* Scheduler::Admit() {
  if (crowded_) return nullptr;
  Sentence* sentence = Oldest(Sentence::State::kQueued);
  if (sentence == nullptr) return nullptr;
  CacheRegion rows = sentence->rows;
  const bool is_replay = sentence->is_replay();
  if (!is_replay && !FindRows(*sentence, &rows)) return nullptr;
  if (!PlaceCaches(*sentence, rows)) return nullptr;
  sentence->rows = rows;
  if (!is_replay) {
    sentence->target = targets_ + rows.begin * most_target_tokens_;
  }
  if (kProfile.beams > 1 && sentence->has_beams()) {
    sentence->beams.Start(beams_.From(rows.begin), sentence->options);
  }
  sentence->state = Sentence::State::kDecoding;
  return sentence;
}

std::span<StepRow> Scheduler::PlanStep() {
  for (;;) {
    size_t count = 0;
    Sentence* youngest = nullptr;
    bool finished = false;
    uint32_t beams = 0;
    for (Sentence* sentence = Oldest(Sentence::State::kDecoding);
         sentence != nullptr;
         sentence = Oldest(Sentence::State::kDecoding, sentence->age + 1)) {
      youngest = sentence;
      if (beams == 0) beams = sentence->most_beams();
      if (sentence->most_beams() != beams) continue;
      if (NeedsNoStep(*sentence)) {
        AppendForced(*sentence,
                     RuledToken(sentence->options, sentence->target_count));
        finished = true;
        continue;
      }
      if (!GrowCaches(*sentence)) continue;
      for (uint32_t i = 0; i < sentence->row_count(); ++i) {
        rows_of_step_[count++] = {sentence, i};
      }
    }
    if (count > 0 || finished || youngest == nullptr) {
      return {rows_of_step_, count};
    }
    Preempt(*youngest);
  }
}

// Its pass begins anew.
void Scheduler::Requeue(Sentence& sentence) {
  // What is replayed is in the memory of its beams.
  if (!sentence.is_replay()) sentence.rows = {};
  sentence.state = Sentence::State::kQueued;
  sentence.target_count = 0;
  sentence.phrases = {};
  sentence.loops.Reset();
}

void Scheduler::Preempt(Sentence& sentence) {
  DropCaches(sentence);
  Requeue(sentence);
  crowded_ = true;
}

// Queues a sentence that is done for its next pass, if there is one.
void Scheduler::QueueNextPass(Sentence& sentence) {
  if (sentence.target_count == 0) return;
  if (LacksPhrases(sentence)) {
    sentence.reported = 0;
  } else if (sentence.needs_replay()) {
    sentence.pass = Pass::kReplay;
    sentence.forced_count = sentence.target_count;
  } else {
    return;
  }
  Requeue(sentence);
}

void Scheduler::AppendForced(Sentence& sentence, int32_t token) {
  if (kProfile.scores && sentence.scores != nullptr) {
    sentence.scores[sentence.target_count] = kForcedScore;
  }
  Append(sentence, token);
}

void Scheduler::Append(Sentence& sentence, int32_t token) {
  const SearchOptions& options = sentence.options;
  token = ProbeToken(sentence.target_count, token);
  sentence.target[sentence.target_count++] = token;
  const bool is_full = sentence.target_count == sentence.most_tokens();
  if (sentence.is_replay()) {
    if (is_full) Stop(sentence, sentence.stop_reason);
    return;
  }
  Taken({&sentence});
  const bool goes_on = Report(sentence, token);
  if (token == options.eos && !(is_full && options.forced_last_token >= 0)) {
    return Stop(sentence, StopReason::kEos);
  }
  if (is_full) return Stop(sentence, StopReason::kLengthLimit);
  if (const size_t kept = EndOfLoop(sentence); kept > 0) {
    return Stop(sentence, StopReason::kLoop, kept);
  }
  if (!goes_on) return Stop(sentence, StopReason::kCancelled);
  if (sentence.target_count == options.budget_tokens) {
    Stop(sentence, StopReason::kBudget);
  }
}

void Scheduler::Extend(Sentence& sentence, std::span<const uint32_t> counts) {
  const bool goes_on = sentence.beams.Extend(counts);
  sentence.target_count = sentence.beams.tokens();
  if (!goes_on) return Stop(sentence, StopReason::kEos);
  for (uint32_t i = 0; i < sentence.beams.count(); ++i) Taken({&sentence, i});
  if (sentence.target_count == sentence.options.budget_tokens) {
    Stop(sentence, StopReason::kBudget);
  }
}

// Ends a search and makes its best hypothesis the translation.
StopReason Scheduler::TakeBest(Sentence& sentence, StopReason reason) {
  const SearchOptions& options = sentence.options;
  sentence.beams.Stop();
  const std::span<const Hypothesis> all = sentence.beams.hypotheses();
  sentence.target_count = all.empty() ? 0 : all[0].tokens.size();
  sentence.generated = sentence.target_count;
  if (all.empty()) return reason;
  // The memory is the sentence's own.
  sentence.target = const_cast<int32_t*>(all[0].tokens.data());
  const bool is_full = sentence.target_count == options.max_tokens;
  if (reason == StopReason::kEos &&
      (all[0].tokens.back() != options.eos ||
       (is_full && options.forced_last_token >= 0))) {
    reason = StopReason::kLengthLimit;
  }
  const size_t count = sentence.target_count;
  for (size_t i = 0; i < count; ++i) {
    sentence.target_count = i + 1;
    if (reason != StopReason::kCancelled &&
        !Report(sentence, sentence.target[i])) {
      return StopReason::kCancelled;
    }
    if (const size_t kept = EndOfLoop(sentence); kept > 0) {
      sentence.target_count = kept;
      return StopReason::kLoop;
    }
  }
  return reason;
}

// Ends a pass, and with the last one the sentence. Of a translation without
// beams the first `kept` tokens are kept.
void Scheduler::Stop(Sentence& sentence, StopReason reason, size_t kept) {
  if (sentence.has_beams() && sentence.state == Sentence::State::kDecoding) {
    sentence.stop_reason = TakeBest(sentence, reason);
  } else if (!sentence.is_replay()) {
    sentence.stop_reason = reason;
    sentence.generated = sentence.target_count;
    sentence.target_count = std::min(kept, sentence.target_count);
  }
  sentence.state = Sentence::State::kDone;
  DropCaches(sentence);
  crowded_ = false;
  QueueNextPass(sentence);
}

bool Scheduler::FindRegionFor(const Sentence& sentence,
                              CacheRegion Sentence::*region,
                              const CachePool& pool, size_t tokens,
                              CacheRegion* out) {
  CacheRegion taken[kProfile.lanes];
  size_t count = 0;
  for (const Sentence& other : lanes()) {
    if (&other != &sentence) taken[count++] = other.*region;
  }
  return FindRegion(pool, {taken, count}, tokens, out);
}

bool Scheduler::FindRows(const Sentence& sentence, CacheRegion* out) {
  return FindRegionFor(sentence, &Sentence::rows, {.tokens = rows_},
                       sentence.most_beams(), out);
}

// False if the other sentences leave no room; alone, a sentence has room for
// the longest source and translation.
bool Scheduler::PlaceCaches(Sentence& sentence, const CacheRegion& rows) {
  SentenceCaches& caches = sentence.caches;
  caches.beams = sentence.most_beams();
  CacheRegion cross, self;
  if (!FindRegionFor(sentence, &Sentence::cross, pools_.cross,
                     sentence.source_count, &cross)) {
    return false;
  }
  if (pools_.self.row == 0) {
    caches.self_kv = pools_.states + rows.begin * state_floats_;
    caches.self_rows = sentence.most_tokens() * caches.beams;
  } else if (FindRegionFor(sentence, &Sentence::self, pools_.self,
                           FirstTokens(sentence, pools_.self, lanes_), &self)) {
    caches.self_kv = pools_.self.At(self);
    caches.self_rows = self.tokens;
  } else {
    return false;
  }
  caches.source_tokens = sentence.source_count;
  caches.cross_kv = pools_.cross.At(cross);
  caches.recurrent_keys =
      pools_.recurrent_keys != nullptr
          ? pools_.recurrent_keys
          : caches.cross_kv + sentence.source_count * pools_.recurrent_memory;
  sentence.cross = cross;
  sentence.self = self;
  return true;
}

// Makes room for one more target token, which may move self_kv. False if the
// other sentences leave none.
bool Scheduler::GrowCaches(Sentence& sentence) {
  const size_t count = sentence.target_count;
  const size_t beams = sentence.caches.beams;
  const size_t most = sentence.most_tokens();
  LATIMER_DCHECK(count < most);
  if ((count + 1) * beams <= sentence.caches.self_rows) return true;
  CacheRegion larger;
  // Grows by half, or by one token if there is no room for half.
  if (!FindRegionFor(sentence, &Sentence::self, pools_.self,
                     std::min(most, count + count / 2 + 1) * beams, &larger) &&
      !FindRegionFor(sentence, &Sentence::self, pools_.self,
                     (count + 1) * beams, &larger)) {
    return false;
  }
  MoveTokens(pools_.self, sentence.self, larger, count * beams);
  sentence.self = larger;
  sentence.caches.self_kv = pools_.self.At(larger);
  sentence.caches.self_rows = larger.tokens;
  return true;
}

}  // namespace latimer
