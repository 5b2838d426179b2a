#include "report/prediction.h"

#include <algorithm>
#include <cstring>

#include "latimer/internal/memory_plan.h"
#include "report/format.h"

namespace latimer::cli {
namespace {

bool HasFigures(const Board& board, const ModelDescription& info) {
  return board.clock_mhz != 0 && std::strcmp(info.weights, "int8") == 0 &&
         info.f16_matrices == 0;
}

Prediction Predict(const Board& board, double bytes, double cycles,
                   uint32_t threads) {
  Prediction p{};
  p.threads = threads;
  p.memory = bytes / (1e3 * board.read_mb_s);
  p.cpu = cycles / (1e3 * board.clock_mhz);
  p.low = std::max(p.memory, p.cpu / threads);
  p.high = p.memory + p.cpu / (1 + 0.5 * (threads - 1));
  return p;
}

// Of convolutions, linear layers and attention, whose second product takes two.
double Multiplications(const Architecture& a) {
  const double positions = a.source_positions, d = a.d_model;
  const double width = a.encoder_attention_width();
  const double convolutions = 3 * (2 * a.mel_bins * d + d * d);
  const double layer = 4 * d * width + 2 * d * a.encoder_ffn;
  const double attention = 3 * positions * width;
  const double keys_and_values = 2 * d * a.decoder_attention_width();
  return positions * (convolutions + a.encoder_layers * (layer + attention) +
                      a.decoder_layers * keys_and_values);
}

}  // namespace

uint64_t BytesPerToken(const ModelDescription& info) {
  const Architecture& a = info.architecture;
  const uint64_t heard =
      a.reads_speech()
          ? PackedCrossBytes(a.decoder_layers, a.decoder_heads,
                             a.decoder_head_dim, a.source_positions)
          : 0;
  return info.sizes.streamed_per_token + heard;
}

std::optional<Prediction> PredictToken(const Board& board,
                                       const ModelDescription& info,
                                       uint32_t threads) {
  if (!HasFigures(board, info)) return std::nullopt;
  const auto bytes = static_cast<double>(BytesPerToken(info));
  return Predict(board, bytes, bytes / 1e3 * board.cycles_per_kb, threads);
}

std::optional<SpeechPrediction> PredictSpeech(const Board& board,
                                              const ModelDescription& info,
                                              uint32_t threads) {
  const Architecture& a = info.architecture;
  if (!a.reads_speech() || !HasFigures(board, info) ||
      board.cycles_per_1000 == 0) {
    return std::nullopt;
  }
  SpeechPrediction p;
  p.seconds = a.source_positions / kPositionsPerSecond;
  p.tokens = p.seconds * kTokensPer30Seconds / 30;
  p.window = Predict(
      board, static_cast<double>(info.sizes.encoder + info.sizes.cross_kv),
      Multiplications(a) / 1e3 * board.cycles_per_1000, threads);
  p.token = *PredictToken(board, info, threads);
  p.low = 1e3 * p.seconds / (p.window.high + p.tokens * p.token.high);
  p.high = 1e3 * p.seconds / (p.window.low + p.tokens * p.token.low);
  return p;
}

std::string DigitsText(double number) {
  return Format(number < 1 ? "%.2f" : number < 10 ? "%.1f" : "%.0f", number);
}

std::string BandText(const Prediction& p) {
  return DigitsText(p.low) + " to " + DigitsText(p.high) + " ms";
}

}  // namespace latimer::cli
