#include "transformer/greedy_search.h"

#include <limits>

#include "transformer/capture.h"
#include "transformer/decoder.h"

namespace latimer {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// Bans the last token of each sequence whose other tokens end the target,
// decoder_start included, as Hugging Face's NoBadWordsLogitsProcessor does.
void BanSequences(const GenerationRules& rules, const int32_t* target,
                  size_t count, float* logits) {
  uint32_t begin = 0;
  for (uint32_t end : rules.banned_ends) {
    const size_t prefix = end - begin - 1;
    bool matches = prefix <= count + 1;
    for (size_t i = 0; matches && i < prefix; ++i) {
      const size_t position = count + 1 - prefix + i;
      const int32_t token =
          position == 0 ? rules.decoder_start : target[position - 1];
      matches = token == rules.banned_tokens[begin + i];
    }
    if (matches) logits[rules.banned_tokens[end - 1]] = kNever;
    begin = end;
  }
}

}  // namespace

size_t GreedySearch(RunContext& context, size_t source_tokens,
                    const SearchLimits& limits) {
  const GenerationRules& rules = context.model.info.generation;
  const size_t vocabulary = context.model.info.architecture.target_vocabulary;
  float* logits = context.workspace->logits;
  int32_t* target = context.workspace->target_tokens;
  [[maybe_unused]] TokenScore* scores = context.workspace->token_scores;
  int32_t token = rules.decoder_start;
  size_t count = 0;
  while (count < limits.max_tokens) {
    if (count + 1 == limits.max_tokens && limits.forced_last_token >= 0) {
      token = limits.forced_last_token;
      if constexpr (kProfile.token_scores) scores[count] = {0.0f, -kNever};
    } else {
      StepDecoder(context, token, count, source_tokens);
      BanSequences(rules, target, count, logits);
      if (count < limits.min_tokens) logits[rules.eos] = kNever;
      const size_t best = context.vector->argmax(vocabulary, logits);
      if constexpr (kProfile.token_scores) {
        if (limits.scores) scores[count] = ScoreToken(context, best, logits);
      }
      token = static_cast<int32_t>(best);
    }
    target[count++] = token;
    if (token == rules.eos) break;
  }
  return count;
}

}  // namespace latimer
