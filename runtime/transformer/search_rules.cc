#include "transformer/search_rules.h"

#include <limits>

namespace latimer {
namespace {

void Ban(const LogitWindow& window, int32_t token) {
  if (float* logit = window.Find(token)) {
    *logit = -std::numeric_limits<float>::infinity();
  }
}

// Whether prefix[a, a + count) and the end of it are alike.
bool EndsAlike(const Prefix& prefix, size_t a, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (prefix[a + i] != prefix[prefix.size - count + i]) return false;
  }
  return true;
}

// RepetitionPenaltyLogitsProcessor: each token once, however often it came.
void PenalizeRepetition(const SearchRules& rules, const Prefix& prefix,
                        const LogitWindow& window) {
  if (rules.repetition_penalty == 1.0f) return;
  for (size_t i = 0; i < prefix.size; ++i) {
    float* logit = window.Find(prefix[i]);
    if (logit == nullptr) continue;
    bool came = false;
    for (size_t j = 0; j < i && !came; ++j) came = prefix[j] == prefix[i];
    if (came) continue;
    *logit = *logit < 0 ? *logit * rules.repetition_penalty
                        : *logit / rules.repetition_penalty;
  }
}

// NoRepeatNGramLogitsProcessor: bans whatever followed, anywhere before, the
// last n - 1 tokens.
void BanRepeatedNgrams(const SearchRules& rules, const Prefix& prefix,
                       const LogitWindow& window) {
  const size_t n = rules.no_repeat_ngram;
  if (n == 0 || prefix.size < n) return;
  for (size_t i = 0; i + n <= prefix.size; ++i) {
    if (EndsAlike(prefix, i, n - 1)) Ban(window, prefix[i + n - 1]);
  }
}

// NoBadWordsLogitsProcessor: bans the last token of each sequence whose other
// tokens end the prefix.
void BanSequences(const SearchRules& rules, const Prefix& prefix,
                  const LogitWindow& window) {
  uint32_t begin = 0;
  for (const uint32_t end : rules.banned_ends) {
    const size_t before = end - begin - 1;
    bool matches = before <= prefix.size;
    for (size_t i = 0; matches && i < before; ++i) {
      matches =
          prefix[prefix.size - before + i] == rules.banned_tokens[begin + i];
    }
    if (matches) Ban(window, rules.banned_tokens[end - 1]);
    begin = end;
  }
}

}  // namespace

void ApplyRules(const SearchRules& rules, const Prefix& prefix,
                const LogitWindow& window) {
  PenalizeRepetition(rules, prefix, window);
  BanRepeatedNgrams(rules, prefix, window);
  BanSequences(rules, prefix, window);
  if (prefix.size <= rules.min_tokens) Ban(window, rules.eos);
  for (const int32_t token : rules.suppressed) Ban(window, token);
}

}  // namespace latimer
