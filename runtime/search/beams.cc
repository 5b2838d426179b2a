#include "search/beams.h"

#include <cstring>
#include <new>

#include "search/log_probability.h"

namespace latimer {

BeamMemory::BeamMemory(const Buffers& workspace) {
  const size_t rows = workspace.rows;
  target_tokens = workspace.most_target_tokens;
  most_candidates = 2 * size_t{workspace.beams};
  targets = workspace.target_tokens;
  // In the order of alignment.
  std::byte* next = workspace.beam_memory;
  const auto take = [&]<typename T>(T*& out, size_t count) {
    out = reinterpret_cast<T*>(next);
    next += count * sizeof(T);
  };
  static_assert(sizeof(Hypothesis) <= 24 && sizeof(BeamCandidate) == 8 &&
                sizeof(PhraseProgress) <= 16);
  if constexpr (kProfile.phrases) {
    for (PhraseProgress*& of_set : phrases) take(of_set, rows);
  }
  take(hypotheses, rows);
  take(candidates, rows * most_candidates);
  for (float*& of_set : scores) take(of_set, rows);
  for (int32_t*& of_set : tokens) take(of_set, rows * target_tokens);
  for (uint8_t*& of_set : ancestors) take(of_set, rows * target_tokens);
}

BeamMemory BeamMemory::From(size_t row) const {
  BeamMemory part = *this;
  part.hypotheses += row;
  part.candidates += row * most_candidates;
  if constexpr (kProfile.phrases) {
    for (PhraseProgress*& of_set : part.phrases) of_set += row;
  }
  for (float*& of_set : part.scores) of_set += row;
  for (int32_t*& of_set : part.tokens) of_set += row * target_tokens;
  for (uint8_t*& of_set : part.ancestors) of_set += row * target_tokens;
  part.targets += row * target_tokens;
  return part;
}

void Beams::Start(const BeamMemory& memory, const SearchOptions& options) {
  memory_ = memory;
  options_ = &options;
  length_ = 0;
  count_ = 1;
  finished_ = 0;
  set_ = 0;
  divided_ = false;
  memory_.scores[0][0] = 0.0f;
  if constexpr (kProfile.phrases) memory_.phrases[0][0] = {};
  ancestors_of(0, 0)[0] = 0;
}

int32_t Beams::last_token(size_t beam) const { return prefix(beam)[length_]; }

Prefix Beams::prefix(size_t beam) const {
  return {options_->decoder_start, tokens_of(set_, beam), length_ + 1};
}

const uint8_t* Beams::ancestors(size_t beam) const {
  return ancestors_of(set_, beam);
}

BeamCandidate* Beams::candidates(size_t beam) const {
  return memory_.candidates + beam * memory_.most_candidates;
}

// The best extension that was not returned before; next[b] counts those of beam
// b. Among equal ones the first beam comes first. False: there is none.
bool Beams::BestExtension(std::span<const uint32_t> counts, uint32_t* next,
                          Extension* out) const {
  bool found = false;
  for (uint32_t beam = 0; beam < count_; ++beam) {
    if (next[beam] == counts[beam]) continue;
    const BeamCandidate& candidate = candidates(beam)[next[beam]];
    const float score = memory_.scores[set_][beam] + candidate.score;
    if (found && !(score > out->candidate.score)) continue;
    found = true;
    *out = {beam, {candidate.token, score}};
  }
  if (found) ++next[out->beam];
  return found;
}

bool Beams::Extend(std::span<const uint32_t> counts) {
  const size_t most = options_->beams;
  const bool full = length_ + 1 == options_->max_tokens;
  uint32_t grown = 0;
  const auto take = [&](const Extension& extension, bool may_be_kept) {
    if (full || extension.candidate.token == options_->eos) {
      if (may_be_kept) Keep(extension);
    } else if (grown < most) {
      Grow(extension, grown++);
    }
  };
  if (divided_) {
    for (uint32_t beam = 0; beam < count_; ++beam) {
      if (counts[beam] == 0) continue;
      const BeamCandidate& best = candidates(beam)[0];
      take({beam, {best.token, memory_.scores[set_][beam] + best.score}}, true);
    }
  } else {
    uint32_t next[kProfile.beams] = {};
    Extension extension = {};
    for (size_t i = 0; i < CandidatesPerBeam(*options_) &&
                       BestExtension(counts, next, &extension);
         ++i) {
      // As in generate(), one that is not among the best is not kept.
      take(extension, i < most);
    }
    divided_ = options_->alternatives && counts[0] > 1;
  }
  set_ = 1 - set_;
  count_ = grown;
  ++length_;
  if (grown == 0) return false;
  if (options_->alternatives) return true;
  if (finished_ < most) return true;
  return options_->early_stopping != EarlyStopping::kAlways &&
         MayImprove(memory_.scores[set_][0]);
}

// Makes `extension` beam `to` of the other set.
void Beams::Grow(const Extension& extension, size_t to) {
  const size_t set = 1 - set_;
  std::memcpy(tokens_of(set, to), tokens_of(set_, extension.beam),
              length_ * sizeof(int32_t));
  std::memcpy(ancestors_of(set, to), ancestors_of(set_, extension.beam),
              length_ + 1);
  tokens_of(set, to)[length_] = extension.candidate.token;
  ancestors_of(set, to)[length_ + 1] = static_cast<uint8_t>(to);
  memory_.scores[set][to] = extension.candidate.score;
  if constexpr (kProfile.phrases) {
    memory_.phrases[set][to] = memory_.phrases[set_][extension.beam];
  }
}

// Makes it a hypothesis if it is among the best.
void Beams::Keep(const Extension& extension) {
  const float score = Normalized(extension.candidate.score, length_ + 1);
  Hypothesis* const all = memory_.hypotheses;
  int32_t* target;
  if (finished_ < options_->beams) {
    target = memory_.targets + finished_ * memory_.target_tokens;
    new (all + finished_) Hypothesis;
    ++finished_;
  } else {
    if (!(score > all[finished_ - 1].score)) return;
    target = const_cast<int32_t*>(all[finished_ - 1].tokens.data());
  }
  std::memcpy(target, tokens_of(set_, extension.beam),
              length_ * sizeof(int32_t));
  target[length_] = extension.candidate.token;
  size_t i = finished_ - 1;
  for (; i > 0 && score > all[i - 1].score; --i) all[i] = all[i - 1];
  all[i] = {{target, length_ + 1}, score};
}

void Beams::Stop() {
  if (finished_ > 0 || count_ == 0 || length_ == 0) return;
  std::memcpy(memory_.targets, tokens_of(set_, 0), length_ * sizeof(int32_t));
  new (memory_.hypotheses) Hypothesis{
      {memory_.targets, length_}, Normalized(memory_.scores[set_][0], length_)};
  finished_ = 1;
}

bool Beams::MayImprove(float best_score) const {
  const bool any_length = options_->early_stopping == EarlyStopping::kNever &&
                          options_->length_penalty > 0;
  const size_t tokens = any_length ? options_->max_tokens : length_;
  return Normalized(best_score, tokens) >
         memory_.hypotheses[finished_ - 1].score;
}

float Beams::Normalized(float score, size_t tokens) const {
  const size_t given = options_->target_prefix.size();
  return score /
         Power(tokens > given ? tokens - given : 1, options_->length_penalty);
}

}  // namespace latimer
