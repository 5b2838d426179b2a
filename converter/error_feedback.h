// Quantization with error feedback: "GPTQ" (Frantar et al., 2023).
//
// A matrix W is rounded so that the products of its inputs X change little,
// rather than its weights: the weights of a channel are rounded in turn, and
// each takes over, as far as the inputs are correlated, what the roundings
// before it changed. The error of a channel is |X e|^2 = e H e', with e = w - q
// and the Hessian H = X' X. With H = R R', R upper triangular, that is the sum
// of ((e R)_j)^2 over all columns j, and column j depends on the first j errors
// only. So q_j is the integer that is nearest to w_j + sum(i < j) e_i R_ij /
// R_jj, which is what GPTQ computes with the inverse of H.
//
// All sums are of doubles in a fixed order, so that every computer gives the
// same integers from the same inputs. Threads share blocks of H, or channels.
#ifndef LATIMER_CONVERTER_ERROR_FEEDBACK_H_
#define LATIMER_CONVERTER_ERROR_FEEDBACK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "converter/canonical_model.h"
#include "converter/quantize.h"

namespace latimer {

// X' X [inputs, inputs], a row of X after another. As it is symmetric, only the
// blocks on and below the diagonal are kept.
class Hessian {
 public:
  explicit Hessian(size_t inputs);

  // The memory that one takes.
  static uint64_t BytesFor(size_t inputs);

  // Adds rows [rows, inputs].
  void Add(std::span<const float> rows);
  // To be called after the last Add.
  void Finish();

  size_t inputs() const { return inputs_; }
  uint64_t rows() const { return rows_; }
  // The sum in row i and column j, in either order.
  double At(size_t i, size_t j) const;

 private:
  static constexpr size_t kSide = 8;         // Of a block.
  static constexpr size_t kRowsAtOnce = 32;  // Of X.

  size_t blocks() const { return (inputs_ + kSide - 1) / kSide; }
  void AddBlocks(size_t block_row);

  size_t inputs_;
  uint64_t rows_ = 0;
  size_t waiting_ = 0;         // Rows that are not in the sums yet.
  std::vector<double> waits_;  // [blocks, kRowsAtOnce, kSide]
  // Blocks (0, 0), (1, 0), (1, 1), (2, 0) ..., each [kSide, kSide].
  std::vector<double> sums_;
};

// Rounds the channels of a matrix by its Hessian.
class ErrorFeedback {
 public:
  // Takes half of inputs^2 doubles. Adds a tenth of the mean of the diagonal to
  // it, so that few rows are not fitted too closely.
  explicit ErrorFeedback(const Hessian& hessian);

  // The scales are those of QuantizeChannelTo, and so are the integers of the
  // channels that lose no less by feedback. The matrix has as many columns as
  // the Hessian. On all cores.
  QuantizedMatrix Quantize(WeightType type,
                           const CanonicalLinear& linear) const;

 private:
  static constexpr size_t kChannels = 8;  // That are rounded at once.
  // For each of some channels.
  using Channels = double[kChannels];
  struct Sums {
    Channels whole, nearest, chosen;
  };

  template <typename Choose>
  void Walk(const Choose& choose, std::vector<double>* fed,
            Channels& lost) const;
  void QuantizeChannels(WeightType type, const CanonicalLinear& linear,
                        uint64_t begin, QuantizedMatrix* matrix,
                        Sums* sums) const;

  // Input order_[i] is row i of factor_; the last is rounded first. They are
  // those with the largest sums, as GPTQ's act-order.
  std::vector<uint32_t> order_;
  // R', which is lower triangular in the reverse order: row i has i + 1.
  std::vector<double> factor_;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_ERROR_FEEDBACK_H_
