#include "converter/readers/mapped_positions.h"

#include <algorithm>
#include <cmath>

#include "converter/error.h"

namespace latimer {
namespace {

// Rows of a table [R, D], [1, R, D] or [R, 1, D].
uint64_t RowsOf(const MappedTensors& tensors, const SourceTensor& table,
                uint32_t d) {
  const std::vector<uint64_t>& shape = table.shape;
  const bool good = (shape.size() == 2 ||
                     (shape.size() == 3 && (shape[0] == 1 || shape[1] == 1))) &&
                    shape.back() == d;
  if (!good) {
    tensors.Fail(table, "should be a table of positions [rows, ", d, "]");
  }
  return table.size() / d;
}

}  // namespace

std::vector<float> Sinusoids(uint32_t first, uint32_t rows, uint32_t d,
                             bool interleaved) {
  std::vector<float> table(size_t{rows} * d);
  const uint32_t sines = (d + 1) / 2;
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t column = 0; column < d; ++column) {
      const bool sine = interleaved ? column % 2 == 0 : column < sines;
      const uint32_t pair =
          interleaved ? column / 2 : (sine ? column : column - sines);
      const double angle = (static_cast<double>(first) + row) /
                           std::pow(10000.0, 2.0 * pair / d);
      table[size_t{row} * d + column] =
          static_cast<float>(sine ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

std::vector<float> M2M100Sinusoids(uint32_t positions, uint32_t d_model,
                                   uint32_t first) {
  std::vector<float> table(size_t{positions} * d_model);
  const uint32_t half = d_model / 2;
  const float step =
      static_cast<float>(std::log(10000.0) / (static_cast<double>(half) - 1));
  for (uint32_t p = 0; p < positions; ++p) {
    float* row = &table[size_t{p} * d_model];
    for (uint32_t i = 0; i < half; ++i) {
      const float frequency = std::exp(static_cast<float>(i) * -step);
      const float angle = static_cast<float>(first + p) * frequency;
      row[i] = std::sin(angle);
      row[half + i] = std::cos(angle);
    }
  }
  return table;
}

std::vector<float> BuildPositions(const MappedTensors& tensors,
                                  const std::string& part,
                                  const SourceTensor* table, uint32_t wanted,
                                  uint32_t d_model,
                                  std::vector<std::string>* notes) {
  const ModelMap& map = tensors.map();
  const bool source = part == "source_positions";
  const std::string flag = source ? "max_source_tokens" : "max_target_tokens";
  const uint32_t first = map.position_offset;
  // Along the batch axis every token gets the first row.
  const auto spread = [&](std::vector<float> rows) {
    if (!map.positions_along_batch) return rows;
    for (size_t at = d_model; at < rows.size(); at += d_model) {
      std::copy_n(rows.begin(), d_model, rows.begin() + at);
    }
    return rows;
  };
  if (table == nullptr) {
    const uint32_t rows = wanted > 0 ? wanted : kUsualPositions;
    if (map.short_divisor) {
      return spread(M2M100Sinusoids(rows, d_model, first));
    }
    return spread(Sinusoids(first, rows, d_model,
                            map.positions == PositionKind::kInterleaved));
  }
  const uint64_t rows = RowsOf(tensors, *table, d_model);
  const uint64_t usable = rows > first ? rows - first : 0;
  if (usable < std::max<uint64_t>(wanted, 1)) {
    tensors.Fail(
        *table, "has positions for ", usable, " tokens, fewer than ", map.name,
        " wants in ",
        source && wanted == map.source_length ? "source_length" : flag);
  }
  if (wanted == 0 && usable > kUsualPositions) {
    wanted = kUsualPositions;
    notes->push_back(Concat(table->name, " has ", rows, " rows; the first ",
                            wanted, " are kept for the ",
                            source ? "source" : "target", "; --set ", flag,
                            "=N keeps another number."));
  }
  std::vector<float> kept((wanted > 0 ? wanted : usable) * d_model);
  table->Read(uint64_t{first} * d_model, kept);
  return spread(std::move(kept));
}

}  // namespace latimer
