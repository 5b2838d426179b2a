#include "report/prediction.h"

#include <algorithm>
#include <cstring>

#include "report/format.h"

namespace latimer::cli {

std::optional<Prediction> PredictToken(const Board& board,
                                       const ModelDescription& info,
                                       uint32_t threads) {
  if (board.clock_mhz == 0 || std::strcmp(info.weights, "int8") != 0 ||
      info.f16_matrices > 0) {
    return std::nullopt;
  }
  const auto bytes = static_cast<double>(info.sizes.streamed_per_token);
  Prediction p{};
  p.threads = threads;
  p.memory = bytes / (1e3 * board.read_mb_s);
  p.cpu = bytes * board.cycles_per_kb / (1e6 * board.clock_mhz);
  p.low = std::max(p.memory, p.cpu / threads);
  p.high = p.memory + p.cpu / (1 + 0.5 * (threads - 1));
  return p;
}

std::string MillisecondsText(double ms) {
  return Format(ms < 1 ? "%.2f" : ms < 10 ? "%.1f" : "%.0f", ms);
}

std::string BandText(const Prediction& p) {
  return MillisecondsText(p.low) + " to " + MillisecondsText(p.high) + " ms";
}

}  // namespace latimer::cli
