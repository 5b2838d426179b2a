#include "speech/alignment.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "transformer/decoder.h"
#include "transformer/layers.h"

namespace latimer {
namespace {

constexpr size_t kMedian = 7;
constexpr size_t kBeside = kMedian / 2;

// That are found at once, side by side.
constexpr size_t kMedians = 16;

// y [count] += the medians of x [i, i + kMedian), count at most kMedians. Of
// the first five numbers, and then with each further one, the least and the
// most are no median. Reads kMedians + kMedian - 1 numbers.
void AddSomeMedians(const float* x, size_t count, float* y) {
  constexpr size_t kKept = 5;
  float kept[kKept][kMedians];
  for (size_t i = 0; i < kKept; ++i) std::copy_n(x + i, kMedians, kept[i]);
  const auto sort = [&](size_t i, size_t j) {
    for (size_t k = 0; k < kMedians; ++k) {
      const float a = kept[i][k], b = kept[j][k];
      kept[i][k] = b < a ? b : a;
      kept[j][k] = b < a ? a : b;
    }
  };
  size_t next = kKept;
  for (size_t left = kKept;; --left) {
    for (size_t i = 1; i < left; ++i) sort(0, i);
    for (size_t i = 1; i + 1 < left; ++i) sort(i, left - 1);
    if (left == 3) break;
    std::copy_n(x + next++, kMedians, kept[0]);
  }
  for (size_t k = 0; k < count; ++k) y[k] += kept[1][k];
}

// The sums of the paths to a number's neighbours.
struct Neighbours {
  float both, row, column;

  // The neighbours of row i, column j of x.
  Neighbours(const float* x, size_t columns, size_t i, size_t j) {
    constexpr float kNone = -std::numeric_limits<float>::infinity();
    const float* const at = x + i * columns + j;
    both = i > 0 && j > 0 ? at[-1 - static_cast<ptrdiff_t>(columns)] : kNone;
    row = i > 0 ? at[-static_cast<ptrdiff_t>(columns)] : kNone;
    column = j > 0 ? at[-1] : kNone;
  }
  bool FromBoth() const { return both > row && both > column; }
  bool FromRow() const { return row > both && row > column; }
  float Best() const { return FromBoth() ? both : FromRow() ? row : column; }
};

}  // namespace

void NormalizeColumns(size_t rows, size_t columns, float* x, float* scratch) {
  float* const mean = scratch;
  float* const deviation = scratch + columns;
  const float count = static_cast<float>(rows);
  const auto for_each = [&](const auto& run) {
    for (size_t i = 0; i < rows; ++i) {
      for (size_t j = 0; j < columns; ++j) run(x[i * columns + j], j);
    }
  };
  std::fill_n(scratch, 2 * columns, 0.0f);
  for_each([&](float number, size_t j) { mean[j] += number; });
  for (size_t j = 0; j < columns; ++j) mean[j] /= count;
  for_each([&](float& number, size_t j) {
    number -= mean[j];
    deviation[j] += number * number;
  });
  for (size_t j = 0; j < columns; ++j) {
    deviation[j] = std::sqrt(deviation[j] / count);
    if (deviation[j] == 0) deviation[j] = 1;
  }
  for_each([&](float& number, size_t j) { number /= deviation[j]; });
}

void AddMedians(std::span<const float> x, float* scratch, float* y) {
  const size_t size = x.size();
  if (size <= kBeside) {
    for (size_t i = 0; i < size; ++i) y[i] += x[i];
    return;
  }
  std::ranges::copy(x, scratch + kBeside);
  for (size_t i = 1; i <= kBeside; ++i) {
    scratch[kBeside - i] = x[i];
    scratch[kBeside + size - 1 + i] = x[size - 1 - i];
  }
  std::fill_n(scratch + size + 2 * kBeside, kMedians, 0.0f);
  for (size_t i = 0; i < size; i += kMedians) {
    AddSomeMedians(scratch + i, std::min(kMedians, size - i), y + i);
  }
}

void FindPath(size_t columns, float* x, std::span<AlignedToken> rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = i == 0 ? 1 : 0; j < columns; ++j) {
      x[i * columns + j] += Neighbours(x, columns, i, j).Best();
    }
  }
  size_t i = rows.size() - 1, j = columns - 1;
  for (;;) {
    rows[i].position = static_cast<uint32_t>(j);
    if (i == 0 && j == 0) break;
    const Neighbours from(x, columns, i, j);
    const bool to_row =
        j == 0 || (i > 0 && (from.FromBoth() || from.FromRow()));
    const bool to_column = i == 0 || (j > 0 && !from.FromRow());
    i -= to_row ? 1 : 0;
    j -= to_column ? 1 : 0;
  }
}

void AlignTokens(const StepContext& step, const SentenceCaches& caches,
                 size_t first, size_t positions,
                 std::span<AlignedToken> tokens) {
  const SpeechQueries& kept = step.trace.queries;
  const std::span<const uint32_t> heads = step.engine.model.info.speech_heads;
  const size_t dim = DecoderHeads(step.engine.architecture()).dim;
  float* const weights = step.workspace.projection;  // [kept.rows, positions]
  float* const scratch = step.workspace.attention_scratch;
  // [tokens.size(), positions]
  float* const sum = weights + kept.rows * positions;
  LATIMER_DCHECK((kept.rows + tokens.size()) * positions <=
                 step.workspace.projection_floats);
  std::fill_n(sum, tokens.size() * positions, 0.0f);
  for (size_t h = 0; h < heads.size(); ++h) {
    for (size_t row = 0; row < kept.rows; ++row) {
      WeighSpeech(step, caches, heads[h], kept.At(h, row, dim),
                  {weights + row * positions, positions});
    }
    NormalizeColumns(kept.rows, positions, weights, scratch);
    for (size_t i = 0; i < tokens.size(); ++i) {
      AddMedians({weights + (first + i) * positions, positions}, scratch,
                 sum + i * positions);
    }
  }
  FindPath(positions, sum, tokens);
}

}  // namespace latimer
