#include "search/logits_processors.h"

#include "search/constraint.h"

namespace latimer {
namespace {

void Ban(const LogitWindow& window, int32_t token) {
  if (float* logit = window.Find(token)) {
    *logit = kBannedLogit;
  }
}

// Whether prefix[a, a + count) equals the last `count` tokens.
bool EndsAlike(const Prefix& prefix, size_t a, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (prefix[a + i] != prefix[prefix.size - count + i]) return false;
  }
  return true;
}

// RepetitionPenaltyLogitsProcessor: penalizes each token once, however often it
// occurs.
void PenalizeRepetition(const SearchOptions& options, const Prefix& prefix,
                        const LogitWindow& window) {
  if (options.repetition_penalty == 1.0f) return;
  for (size_t i = 0; i < prefix.size; ++i) {
    float* logit = window.Find(prefix[i]);
    if (logit == nullptr) continue;
    bool seen = false;
    for (size_t j = 0; j < i && !seen; ++j) seen = prefix[j] == prefix[i];
    if (seen) continue;
    *logit = *logit < 0 ? *logit * options.repetition_penalty
                        : *logit / options.repetition_penalty;
  }
}

// NoRepeatNGramLogitsProcessor: bans whatever followed, anywhere before, the
// last n - 1 tokens.
void BanRepeatedNgrams(const SearchOptions& options, const Prefix& prefix,
                       const LogitWindow& window) {
  const size_t n = options.no_repeat_ngram;
  if (n == 0 || prefix.size < n) return;
  for (size_t i = 0; i + n <= prefix.size; ++i) {
    if (EndsAlike(prefix, i, n - 1)) Ban(window, prefix[i + n - 1]);
  }
}

// NoBadWordsLogitsProcessor: bans the last token of each sequence whose other
// tokens end the prefix.
void BanSequences(const TokenSequences& banned, const Prefix& prefix,
                  const LogitWindow& window) {
  uint32_t begin = 0;
  for (const uint32_t end : banned.ends) {
    const size_t before = end - begin - 1;
    bool matches = before <= prefix.size;
    for (size_t i = 0; matches && i < before; ++i) {
      matches = prefix[prefix.size - before + i] == banned.tokens[begin + i];
    }
    if (matches) Ban(window, banned.tokens[end - 1]);
    begin = end;
  }
}

}  // namespace

void ProcessLogits(const SearchOptions& options, const Prefix& prefix,
                   const LogitWindow& window) {
  PenalizeRepetition(options, prefix, window);
  BanRepeatedNgrams(options, prefix, window);
  BanSequences({options.banned_tokens, options.banned_ends}, prefix, window);
  BanSequences(options.banned, prefix, window);
  if (prefix.size <= options.min_tokens) Ban(window, options.eos);
  for (const int32_t token : options.suppressed) Ban(window, token);
  Mask(options, prefix, window);
}

}  // namespace latimer
