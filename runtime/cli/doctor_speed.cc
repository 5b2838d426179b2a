// `latimer doctor`: how fast does this machine read memory and translate?

#include <algorithm>

#include "cli/bandwidth.h"
#include "cli/doctor.h"
#include "cli/machine.h"
#include "cli/timing.h"

namespace latimer::cli {
namespace {

// For so long, but once at least. False after reporting why not.
bool Run(double milliseconds, Rounds& rounds, Report& report) {
  constexpr int kMost = 20;
  const auto start = Clock::now();
  for (int i = 0; i < kMost; ++i) {
    if (const Status status = rounds.Run(); !status.ok()) {
      report.Add("ms_per_token", nullptr, "not run", Verdict::kFail,
                 status.message());
      return false;
    }
    if (MillisecondsSince(start) > milliseconds) break;
  }
  return true;
}

void ReportDecoding(Session& session, Report& report) {
  constexpr uint32_t kTokens = 32;
  constexpr double kMilliseconds = 2500;
  Translator& translator = session.translator();
  const uint32_t source = std::min(kTokens, translator.max_source_tokens());
  const uint32_t target = std::min(kTokens, translator.max_target_tokens());
  const Load load = {{RandomSource(translator.model_info(), source)}, target};
  Rounds rounds(translator, load);
  if (!Run(kMilliseconds, rounds, report)) return;
  report.Add("encode_ms", rounds.encode().minimum,
             NumberText(rounds.encode().minimum, 2) + " ms for " +
                 std::to_string(source) + " source tokens");
  // Tiny models are faster than the clock is exact.
  const double ms = std::max(rounds.per_token().minimum, 1e-6);
  report.Add("ms_per_token", ms, NumberText(ms, 3) + " ms");
  report.Add("tokens_per_second", 1000 / ms, NumberText(1000 / ms, 0));

  // As many bytes as a token's weights, which may fit in a cache.
  const uint64_t streamed = translator.model_info().sizes.streamed_per_token;
  const double bandwidth =
      ReadBandwidth(session.image().first(static_cast<size_t>(
                        std::min<uint64_t>(streamed, session.image().size()))),
                    translator.threads());
  const double rate = static_cast<double>(streamed) / (ms * 1e6);
  report.Add("weights_gb_per_s", rate,
             NumberText(rate, 2) + " GB/s: " + BytesText(streamed) +
                 " of weights for each token");
  report.Add("model_read_gb_per_s", bandwidth,
             NumberText(bandwidth, 2) + " GB/s reading " + BytesText(streamed) +
                 " of the model alone");
  if (bandwidth > 0) {
    report.Add("share_of_bandwidth", rate / bandwidth,
               NumberText(100 * rate / bandwidth, 0) + " %");
  }
}

}  // namespace

void ReportSpeed(const Arguments& arguments, Session* session, Report& report) {
  report.Section("speed");
  const uint32_t threads = std::min(arguments.threads, OnlineCores());
  report.Add("threads", arguments.threads, std::to_string(arguments.threads));
  {
    const FilledBuffer buffer(LargeBufferBytes());
    const double bandwidth = ReadBandwidth(buffer.bytes(), threads);
    report.Add("read_buffer_bytes", buffer.bytes().size(),
               BytesText(buffer.bytes().size()) + "; the largest cache has " +
                   BytesText(LargestCacheBytes()));
    report.Add("read_gb_per_s", bandwidth,
               NumberText(bandwidth, 2) + " GB/s reading that");
  }
  if (session != nullptr) ReportDecoding(*session, report);
}

}  // namespace latimer::cli
