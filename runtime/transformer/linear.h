// Projections: y = x W^T + b on XNNPACK's kernels, split among the threads.
#ifndef LATIMER_TRANSFORMER_LINEAR_H_
#define LATIMER_TRANSFORMER_LINEAR_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "transformer/step_context.h"

namespace latimer {

// Output channels go to threads in multiples of this: every tile's nr divides
// it, and so do the 16 floats of a cache line.
inline constexpr uint32_t kChannelBlock = 16;

// Rows that projections read: `values`, and for int8 weights `quantized` with
// the parameters in `quantization`. Views memory that must not change while it
// is read.
struct LinearInput {
  const float* values = nullptr;                  // [rows, columns]
  const int8_t* quantized = nullptr;              // [rows, columns]
  const RowQuantization* quantization = nullptr;  // [rows]
  size_t rows = 0;
  size_t columns = 0;
  // Where each thread unpacks weights of less than a byte; see
  // Buffer::kUnpacked.
  std::byte* unpacked = nullptr;
  size_t unpacked_stride = 0;

  LinearInput Rows(size_t begin, size_t count) const;
  LinearInput Row(size_t i) const { return Rows(i, 1); }
};

// Makes x [rows, columns] an input. For an int8 model each row is quantized
// here, once for all projections that read it, into workspace.quantized and
// workspace.row_quantization: the input is valid until the next call.
LinearInput MakeLinearInput(const StepContext& step, const float* x,
                            size_t rows, size_t columns);

// The same for x [rows, linear.k], which only this matrix reads.
LinearInput MakeLinearInput(const StepContext& step, const Linear& linear,
                            const float* x, size_t rows);

// y [rows, linear.n] = input * W^T + b. y may not overlap the input.
void ApplyLinear(const Engine& engine, const Linear& linear,
                 const LinearInput& input, float* y);

// y [rows, linear.n] = x [rows, linear.k] * W^T + b.
void ApplyLinear(const StepContext& step, const Linear& linear, const float* x,
                 size_t rows, float* y);

// y [rows, end - begin] = output channels [begin, end) of ApplyLinear. `begin`
// is a multiple of kChannelBlock.
void ApplyLinearChannels(const Engine& engine, const Linear& linear,
                         const LinearInput& input, uint32_t begin, uint32_t end,
                         float* y);

// Some output channels of a matrix as one of its own, in `memory`: for each
// channel of whole blocks of kChannelBlock, PackedChannelBytes and a bias.
Linear GatherChannels(const Model& model, const Linear& linear,
                      std::span<const uint32_t> channels, std::byte* memory);

// row [k] of an embedding, from the packed matrix.
void LookUpRow(const Model& model, const Linear& embedding, uint32_t token,
               float* row);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_LINEAR_H_
