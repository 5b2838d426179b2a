#include "cli/timing.h"

#include <algorithm>

#include "cli/arguments.h"
#include "report/test_sound.h"

namespace latimer::cli {

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

Summary Summarize(std::vector<double> samples) {
  std::ranges::sort(samples);
  return {samples.front(), samples[samples.size() / 2]};
}

// By Marsaglia's xorshift.
Load RandomLoad(const ModelDescription& info, uint32_t source_tokens,
                uint32_t target_tokens) {
  if (info.reads_speech) {
    return {.sources = {std::vector<int32_t>(source_tokens)},
            .sound = TestSound(source_tokens),
            .target_tokens = target_tokens};
  }
  const uint32_t vocabulary = info.architecture.source_vocabulary;
  std::vector<int32_t> ids;
  uint32_t random = 2463534242u;
  while (ids.size() < source_tokens) {
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    const auto id = static_cast<int32_t>(random % vocabulary);
    const bool special = id == info.generation.eos || id == info.generation.pad;
    if (!special || vocabulary <= 2) ids.push_back(id);
  }
  return {.sources = {std::move(ids)}, .target_tokens = target_tokens};
}

Result<uint64_t> TranslateLoad(Translator& translator, const Load& load,
                               uint32_t target_tokens, OperationTimes* times) {
  TranslateOptions options;
  options.beams = load.beams;
  // EOS cannot come before the minimum, so there are exactly this many.
  options.max_target_tokens = IfGiven(target_tokens);
  options.min_target_tokens = target_tokens;
  Internals::RecordTimes(translator, times);
  if (!load.sound.empty()) {
    std::vector<int32_t> heard(target_tokens);
    const Status status = Internals::HearSound(translator, load.sound, heard);
    Internals::RecordTimes(translator, nullptr);
    if (!status.ok()) return status;
    return uint64_t{target_tokens};
  }
  uint64_t tokens = 0;
  for (const std::vector<int32_t>& source : load.sources) {
    const Result<Translation> result = translator.TranslateIds(source, options);
    if (!result.ok()) {
      Internals::RecordTimes(translator, nullptr);
      return result.status();
    }
    tokens += result->tokens.size();
  }
  Internals::RecordTimes(translator, nullptr);
  return tokens;
}

Result<Timing> MeasureLoad(Translator& translator, const Load& load,
                           uint32_t rounds, double milliseconds) {
  std::vector<double> one_token, all_tokens;
  uint64_t tokens = 0;
  const auto begin = Clock::now();
  for (uint32_t i = 0; i < rounds; ++i) {
    if (i > 0 && MillisecondsSince(begin) > milliseconds) break;
    for (auto* samples : {&one_token, &all_tokens}) {
      const auto start = Clock::now();
      const Result<uint64_t> count = TranslateLoad(
          translator, load, samples == &one_token ? 1 : load.target_tokens);
      if (!count.ok()) return count.status();
      samples->push_back(MillisecondsSince(start));
      tokens = *count;
    }
  }
  const auto sentences = static_cast<double>(load.sources.size());
  const double further = std::max(static_cast<double>(tokens) - sentences, 1.0);
  const Summary one = Summarize(one_token);
  const Summary all = Summarize(all_tokens);
  const Summary per_token = {(all.minimum - one.minimum) / further,
                             (all.median - one.median) / further};
  return Timing{
      .encode = {one.minimum / sentences - per_token.minimum,
                 one.median / sentences - per_token.median},
      .per_token = per_token,
      .per_sentence = {all.minimum / sentences, all.median / sentences},
      .tokens = tokens};
}

}  // namespace latimer::cli
