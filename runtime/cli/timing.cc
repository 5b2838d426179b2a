#include "cli/timing.h"

#include <algorithm>

namespace latimer::cli {
// Marsaglia's xorshift.
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

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

Summary Summarize(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return {samples.front(), samples[samples.size() / 2]};
}

Status Rounds::Run() {
  LATIMER_RETURN_IF_ERROR(Time(1, &one_token_));
  return Time(load_.target_tokens, &all_tokens_);
}

Summary Rounds::encode() const {
  const Summary one = Summarize(one_token_);
  const Summary further = per_token();
  const auto count = static_cast<double>(load_.sources.size());
  return {one.minimum / count - further.minimum,
          one.median / count - further.median};
}

Summary Rounds::per_token() const {
  const Summary one = Summarize(one_token_);
  const Summary all = Summarize(all_tokens_);
  const uint64_t firsts = load_.sources.size();
  const auto further =
      static_cast<double>(tokens_ > firsts ? tokens_ - firsts : 1);
  return {(all.minimum - one.minimum) / further,
          (all.median - one.median) / further};
}

Summary Rounds::per_sentence() const {
  const Summary all = Summarize(all_tokens_);
  const auto count = static_cast<double>(load_.sources.size());
  return {all.minimum / count, all.median / count};
}

Status Rounds::Time(uint32_t tokens, std::vector<double>* milliseconds) {
  // EOS is not allowed before the end: exactly this many.
  TranslateOptions options;
  options.max_target_tokens = tokens;
  options.min_target_tokens = tokens;
  tokens_ = 0;
  const auto start = Clock::now();
  for (const std::vector<int32_t>& source : load_.sources) {
    const Result<Translation> result =
        translator_.TranslateIds(source, options);
    if (!result.ok()) return result.status();
    tokens_ += result->tokens.size();
  }
  milliseconds->push_back(MillisecondsSince(start));
  return Status();
}

}  // namespace latimer::cli
