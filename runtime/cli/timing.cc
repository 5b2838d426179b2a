#include "cli/timing.h"

#include <algorithm>

namespace latimer::cli {
namespace {

// Valid source ids, neither EOS nor padding, the same on every machine
// (Marsaglia's xorshift).
std::vector<int32_t> RandomSource(const ModelInfo& info, uint32_t count) {
  std::vector<int32_t> ids;
  uint32_t random = 2463534242u;
  while (ids.size() < count) {
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    const auto id =
        static_cast<int32_t>(random % info.architecture.source_vocabulary);
    const bool special = id == info.generation.eos || id == info.generation.pad;
    if (!special || info.architecture.source_vocabulary <= 2) ids.push_back(id);
  }
  return ids;
}

}  // namespace

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

Summary Summarize(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return {samples.front(), samples[samples.size() / 2]};
}

Rounds::Rounds(Translator& translator, uint32_t source_tokens,
               uint32_t target_tokens)
    : translator_(translator),
      target_tokens_(target_tokens),
      source_(RandomSource(translator.model_info(), source_tokens)) {}

Status Rounds::Run() {
  LATIMER_RETURN_IF_ERROR(Time(1, &one_token_));
  return Time(target_tokens_, &all_tokens_);
}

Summary Rounds::encode() const {
  const Summary one = Summarize(one_token_);
  const Summary further = per_token();
  return {one.minimum - further.minimum, one.median - further.median};
}

Summary Rounds::per_token() const {
  const Summary one = Summarize(one_token_);
  const Summary all = Summarize(all_tokens_);
  const double further = target_tokens_ > 1 ? target_tokens_ - 1 : 1;
  return {(all.minimum - one.minimum) / further,
          (all.median - one.median) / further};
}

Summary Rounds::total() const { return Summarize(all_tokens_); }

Status Rounds::Time(uint32_t tokens, std::vector<double>* milliseconds) {
  const auto start = Clock::now();
  // EOS is not allowed before the end: exactly this many.
  const Result<Translation> result =
      translator_.TranslateIds(source_, {.max_target_tokens = tokens,
                                         .min_target_tokens = tokens,
                                         .language_code = {}});
  milliseconds->push_back(MillisecondsSince(start));
  return result.status();
}

}  // namespace latimer::cli
