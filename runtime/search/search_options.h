// The settings of one search: the model's generation config with the caller's
// choices.
#ifndef LATIMER_SEARCH_SEARCH_OPTIONS_H_
#define LATIMER_SEARCH_SEARCH_OPTIONS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/options.h"
#include "latimer/translation.h"
#include "model/model.h"
#include "phrases/phrases.h"

namespace latimer {

// Spans are borrowed until the sentence is done.
struct SearchOptions {
  int32_t decoder_start;  // -1: the first step's embedding is zero.
  int32_t eos;
  // Token forced as the first; -1: none.
  int32_t forced_first_token;
  // What the translation begins with, including a token that is forced as the
  // first; fewer than max_tokens.
  std::span<const int32_t> target_prefix = {};
  // Generated tokens, EOS included: at least 1; see length_limit.h.
  size_t max_tokens = 0;
  // EOS is not allowed before this many tokens.
  size_t min_tokens;
  // Token forced as the last of max_tokens; -1: none.
  int32_t forced_last_token = -1;
  // No n-gram of this many tokens comes twice; 0: off.
  size_t no_repeat_ngram;
  // 1: off.
  float repetition_penalty;
  // Sequences that may not be produced; see GenerationConfig.
  std::span<const int32_t> banned_tokens;
  std::span<const uint32_t> banned_ends;
  // Those of the caller.
  TokenSequences banned = {};
  // What must come out, in the memory of the sentence.
  PhraseList phrases = {};
  // Tells which tokens would make a phrase part of a longer word.
  const TokenizerView* tokenizer = nullptr;
  // Tokens that may not be produced, within the vocabulary.
  std::span<const int32_t> suppressed;
  // The number of beams, 1 for greedy search, and the rules for several; see
  // latimer/options.h.
  uint32_t beams = 1;
  float length_penalty = 1.0f;
  EarlyStopping early_stopping = EarlyStopping::kHeuristic;
  bool renormalize = false;
  // The beams are the best first tokens, each completed greedily.
  bool alternatives = false;
  // Without beams.
  Sampling sampling = {};
  // Whether a loop ends the sentence, and how many tokens longer than usual it
  // must be; see TranslateOptions::guards.
  bool guards_loops = false;
  size_t loop_allowance = 0;
  // The caller's budget: tokens, and a time of MonotonicNanoseconds. 0: none.
  size_t budget_tokens = 0;
  uint64_t deadline = 0;
  // Ends the sentence before its next token if true; null: never.
  const std::atomic<bool>* cancel = nullptr;
  // Called for each token; null: never.
  TokenCallback on_token = nullptr;
  void* token_context = nullptr;
};

}  // namespace latimer

#endif  // LATIMER_SEARCH_SEARCH_OPTIONS_H_
