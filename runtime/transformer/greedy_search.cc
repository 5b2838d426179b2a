#include "transformer/greedy_search.h"

#include <limits>

#include "transformer/capture.h"
#include "transformer/decoder.h"
#include "transformer/pruned_argmax.h"

namespace latimer {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// What the decoder has read: decoder_start, then the tokens generated.
struct Prefix {
  int32_t start;
  const int32_t* target;
  size_t size;  // decoder_start included

  int32_t operator[](size_t i) const { return i == 0 ? start : target[i - 1]; }
};

// Whether prefix[a, a + count) and the end of it are alike.
bool EndsAlike(const Prefix& prefix, size_t a, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (prefix[a + i] != prefix[prefix.size - count + i]) return false;
  }
  return true;
}

// RepetitionPenaltyLogitsProcessor: each token once, however often it came.
void PenalizeRepetition(const SearchRules& rules, const Prefix& prefix,
                        float* logits) {
  if (rules.repetition_penalty == 1.0f) return;
  for (size_t i = 0; i < prefix.size; ++i) {
    const int32_t token = prefix[i];
    if (token < 0) continue;
    bool came = false;
    for (size_t j = 0; j < i && !came; ++j) came = prefix[j] == token;
    if (came) continue;
    float& logit = logits[token];
    logit = logit < 0 ? logit * rules.repetition_penalty
                      : logit / rules.repetition_penalty;
  }
}

// NoRepeatNGramLogitsProcessor: bans whatever followed, anywhere before, the
// last n - 1 tokens.
void BanRepeatedNgrams(const SearchRules& rules, const Prefix& prefix,
                       float* logits) {
  const size_t n = rules.no_repeat_ngram;
  if (n == 0 || prefix.size < n) return;
  for (size_t i = 0; i + n <= prefix.size; ++i) {
    const int32_t last = prefix[i + n - 1];
    if (last >= 0 && EndsAlike(prefix, i, n - 1)) logits[last] = kNever;
  }
}

// NoBadWordsLogitsProcessor: bans the last token of each sequence whose other
// tokens end the prefix.
void BanSequences(const SearchRules& rules, const Prefix& prefix,
                  float* logits) {
  uint32_t begin = 0;
  for (const uint32_t end : rules.banned_ends) {
    const size_t before = end - begin - 1;
    bool matches = before <= prefix.size;
    for (size_t i = 0; matches && i < before; ++i) {
      matches =
          prefix[prefix.size - before + i] == rules.banned_tokens[begin + i];
    }
    if (matches) logits[rules.banned_tokens[end - 1]] = kNever;
    begin = end;
  }
}

// `logits` may be upper bounds, unless there is a repetition penalty: a ban is
// a ban of either.
void ApplyRules(const SearchRules& rules, const Prefix& prefix, float* logits) {
  PenalizeRepetition(rules, prefix, logits);
  BanRepeatedNgrams(rules, prefix, logits);
  BanSequences(rules, prefix, logits);
  if (prefix.size <= rules.min_tokens) logits[rules.eos] = kNever;
  for (const int32_t token : rules.suppressed) logits[token] = kNever;
}

}  // namespace

size_t GreedySearch(RunContext& context, size_t source_tokens,
                    const SearchRules& rules) {
  const size_t vocabulary = context.model.info.architecture.target_vocabulary;
  float* logits = context.workspace->logits;
  int32_t* target = context.workspace->target_tokens;
  [[maybe_unused]] TokenScore* scores = context.workspace->token_scores;
  const bool pruned = kProfile.pruned_argmax &&
                      context.model.info.pruned_argmax && !rules.scores &&
                      rules.repetition_penalty == 1.0f;
  int32_t token = rules.decoder_start;
  size_t count = 0;
  while (count < rules.max_tokens) {
    const bool last = count + 1 == rules.max_tokens;
    const int32_t forced = last && rules.forced_last_token >= 0
                               ? rules.forced_last_token
                               : (count == 0 ? rules.forced_first_token : -1);
    // What would have stood in the place of a forced last token, and what comes
    // after it, is nobody's concern.
    if (!last || rules.forced_last_token < 0) {
      StepDecoder(context, token, count, source_tokens,
                  pruned ? StepOutput::kBounds : StepOutput::kLogits);
    }
    if (forced >= 0) {
      token = forced;
      if constexpr (kProfile.token_scores) scores[count] = {0.0f, -kNever};
    } else {
      ApplyRules(rules, {rules.decoder_start, target, count + 1}, logits);
      const size_t best = pruned ? FindBestToken(context).token
                                 : context.vector->argmax(vocabulary, logits);
      if constexpr (kProfile.token_scores) {
        if (rules.scores) scores[count] = ScoreToken(context, best, logits);
      }
      token = static_cast<int32_t>(best);
    }
    target[count++] = token;
    if (token == rules.eos) break;
  }
  return count;
}

}  // namespace latimer
