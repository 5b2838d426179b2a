#include "audio/pause.h"

#include "audio/log_mel.h"

namespace latimer {
namespace {

// Sound is looked at in blocks of 20 ms.
constexpr size_t kBlock = kSampleRate / 50;
constexpr size_t kPauseBlocks = 10;

}  // namespace

size_t FindPause(std::span<const float> samples) {
  const size_t first = samples.size() / 3 * 2 / kBlock;
  const size_t blocks = samples.size() / kBlock;
  if (blocks < first + kPauseBlocks) return samples.size();
  double energy[kPauseBlocks] = {};  // Of the last blocks.
  size_t best = first;
  double least = -1;
  for (size_t i = first; i < blocks; ++i) {
    double& own = energy[i % kPauseBlocks];
    own = 0;
    for (const float sample : samples.subspan(i * kBlock, kBlock)) {
      own += double{sample} * sample;
    }
    if (i + 1 < first + kPauseBlocks) continue;
    double sum = 0;
    for (const double block : energy) sum += block;
    if (least >= 0 && sum > least) continue;
    least = sum;
    best = i + 1 - kPauseBlocks;
  }
  return (best + kPauseBlocks / 2) * kBlock;
}

}  // namespace latimer
