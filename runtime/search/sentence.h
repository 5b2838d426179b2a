// All state of one sentence, from its request to its result.
#ifndef LATIMER_SEARCH_SENTENCE_H_
#define LATIMER_SEARCH_SENTENCE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "latimer/internal/memory_plan.h"
#include "latimer/internal/sentence_scanner.h"
#include "latimer/translation.h"
#include "search/beams.h"
#include "search/cache_pool.h"
#include "search/logits_processors.h"
#include "search/loop_detector.h"
#include "search/search_options.h"
#include "search/shortlist.h"
#include "transformer/caches.h"
#include "transformer/trace.h"

namespace latimer {

// Of a token that the model's rules or the caller force.
inline constexpr TokenScore kForcedScore = {
    0.0f, std::numeric_limits<float>::infinity()};

// What a sentence goes through: a search, perhaps again with phrases that it
// lacked, and perhaps a replay.
enum class Pass : uint8_t {
  kSearch,
  // Forced decoding: the decoder reads the translation that beams have found,
  // to record what would belong to all beams.
  kReplay,
};

struct Sentence {
  enum class State : uint8_t {
    kFree,
    kQueued,    // Has a source but no room in the caches.
    kDecoding,  // The encoder has run.
    kDone,
  };

  State state = State::kFree;
  Pass pass = Pass::kSearch;
  uint32_t lane = 0;  // Its slot in the workspace.
  uint64_t age = 0;   // Number of sentences that began before it.

  // ---- The request ----
  uint64_t ticket = 0;
  bool is_text = false;  // The source is a text, not ids.
  SearchOptions options = {};
  int32_t* source = nullptr;  // [most_source_tokens], in the workspace.
  size_t source_count = 0;

  // ---- The translation so far ----
  int32_t* target = nullptr;  // [most_target_tokens], in the workspace.
  // With beams: the tokens that each of them has, until the search ends.
  size_t target_count = 0;
  Beams beams;
  // Without beams: how far it has got with options.phrases.
  PhraseProgress phrases;
  // In a replay, the tokens of `target`, which are there before the first step.
  size_t forced_count = 0;
  // Tokens that on_token has received; survives a restart.
  size_t reported = 0;
  LoopDetector loops;
  StopReason stop_reason = StopReason::kEos;
  // Tokens that were generated before a loop was cut off; set when done.
  size_t generated = 0;

  // ---- How it is decoded ----
  SentenceCaches caches;
  CacheRegion cross;
  CacheRegion self;
  CacheRegion rows;  // Lanes: one for each beam.
  AllowedTokens allowed;
  // The pruned argmax: unpruned_steps counts down the steps that use exact
  // bounds, and flat_steps is where it began. See choose_bounds.cc.
  uint32_t unpruned_steps = 0;
  uint32_t flat_steps = 0;

  // ---- What is recorded ----
  // [most_target_tokens], in the workspace; null: none.
  TokenScore* scores = nullptr;
  Trace trace;

  // For each target token, the number of the source token it is aligned with
  // [most_target_tokens], in the workspace; null: none.
  uint16_t* aligned = nullptr;
  bool returns_links = false;
  // The text that was tokenized, how, and its tokens in the source.
  bool folds = false;
  SentenceEnd text_ends = {};  // What ends it in what the caller gave,
  std::string_view text;
  std::string_view space;    // what follows it there,
  uint32_t text_offset = 0;  // and where it begins.
  uint32_t text_begin = 0;
  uint32_t text_end = 0;
  // Whether the translation is the text itself, without a search.
  bool is_copy = false;

  // What was asked for.
  AttentionKind attention = AttentionKind::kNone;
  bool records_scores = false;

  // A sentence whose attention is recorded has the workspace to itself.
  bool exclusive() const { return attention != AttentionKind::kNone; }
  bool aligns() const { return kProfile.alignment && aligned != nullptr; }
  bool needs_replay() const {
    return has_beams() && (exclusive() || records_scores || aligns());
  }
  // Where the step at hand notes what it attends to. If tokens are aligned by
  // the step that reads them, that is the token before.
  AlignedRow aligned_row(bool reads) const {
    if (!aligns() || has_beams() || (reads && target_count == 0)) return {};
    return {aligned + target_count - (reads ? 1 : 0), text_begin, text_end};
  }
  std::span<const int32_t> source_ids() const { return {source, source_count}; }
  std::span<const int32_t> target_ids() const { return {target, target_count}; }
  // What the decoder has read and the token it reads next.
  Prefix prefix() const {
    return {options.decoder_start, target, target_count + 1};
  }
  bool is_replay() const { return kProfile.beams > 1 && pass == Pass::kReplay; }
  // Of this pass.
  bool has_beams() const {
    return kProfile.beams > 1 && options.beams > 1 && !is_replay();
  }
  // Rows that the decoder reads in a step.
  size_t row_count() const { return has_beams() ? beams.count() : 1; }
  uint32_t most_beams() const { return has_beams() ? options.beams : 1; }
  size_t most_tokens() const {
    return is_replay() ? forced_count : options.max_tokens;
  }
  // Whether the search may have terms to produce.
  bool has_terms() const {
    return kProfile.phrases && options.phrases.has_terms() && !is_replay();
  }
  // Whether tokens are drawn instead of the best one being taken.
  bool draws() const { return kProfile.sampling && options.sampling.enabled; }
  int32_t last_token() const { return prefix()[target_count]; }
};
static_assert(sizeof(Sentence) <= kLaneStateBytes);

}  // namespace latimer

#endif  // LATIMER_SEARCH_SENTENCE_H_
