// Packs keys and values for attention by int8 matrices
// (transformer/int8_attention.h). The compiler vectorizes the loops over
// columns; sums across columns are of integers.
#include "ops/simd.h"
#include "ops/vector_kernels_isa.h"

namespace latimer::LATIMER_ISA {
namespace {

// The bits of |x|: in the order of the numbers, before those of infinity and
// NaN.
LATIMER_INLINE int32_t Magnitude(float x) {
  int32_t bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return bits & 0x7fffffff;
}
LATIMER_INLINE int32_t Larger(int32_t a, int32_t b) { return a > b ? a : b; }

// x * factor, of -127 to 127, rounded.
LATIMER_INLINE int8_t Rounded(float x, float factor) {
  // As in ExpNonPositive.
  const float shifted = x * factor + 12582912.0f;
  int32_t bits;
  __builtin_memcpy(&bits, &shifted, sizeof(bits));
  return static_cast<int8_t>(bits);
}

// How numbers of which `magnitude` is the largest become integers. If one is
// not finite, the scale is NaN.
struct Scaling {
  LATIMER_INLINE explicit Scaling(int32_t magnitude) {
    constexpr int32_t kSmall = 0x04000000;  // 1.5e-36, with a finite inverse.
    float most;
    __builtin_memcpy(&most, &magnitude, sizeof(most));
    const bool finite = magnitude < Magnitude(__builtin_inff());
    const bool used = finite && magnitude >= kSmall;
    factor = used ? 127.0f / most : 0.0f;
    scale = used ? most / 127.0f : finite ? 0.0f : __builtin_nanf("");
  }
  float factor;  // To integers.
  float scale;   // Back.
};

// Where the parts of a channel go in the packed matrix.
class Channel {
 public:
  LATIMER_INLINE Channel(const PackInt8Args& args, size_t channel)
      : args_(args),
        index_(channel % args.nr),
        block_(args.out + channel / args.nr * args.block_bytes) {}

  // Inputs [begin, begin + kr * sr). Within a group, those of channel c are
  // rotated by c * kr.
  LATIMER_INLINE void PutGroup(size_t begin, const int8_t* inputs) const {
    const size_t kr = args_.kr;
    char* out =
        block_ + args_.nr * sizeof(int32_t) + begin * args_.nr + index_ * kr;
    if (args_.sr == 1 && kr == 8) {
      __builtin_memcpy(out, inputs, 8);
      return;
    }
    for (size_t piece = 0; piece < args_.sr; ++piece) {
      const int8_t* in = inputs + (piece + index_) % args_.sr * kr;
      for (size_t i = 0; i < kr; ++i) out[i] = static_cast<char>(in[i]);
      out += args_.nr * kr;
    }
  }

  LATIMER_INLINE void PutSumAndScale(int32_t sum, float scale) const {
    sum = -sum;
    __builtin_memcpy(block_ + index_ * sizeof(sum), &sum, sizeof(sum));
    __builtin_memcpy(
        block_ + args_.block_bytes - (2 * args_.nr - index_) * sizeof(scale),
        &scale, sizeof(scale));
  }

 private:
  const PackInt8Args& args_;
  size_t index_;
  char* block_;
};

}  // namespace

void PackInt8Keys(const PackInt8Args& args) {
  const size_t dim = args.dim;
  float* const mean = args.scratch;
  float* const centered = mean + dim;
  auto* const row = reinterpret_cast<int8_t*>(centered + dim);
  for (size_t c = 0; c < dim; ++c) mean[c] = 0;
  for (size_t t = 0; t < args.rows; ++t) {
    const float* x = args.x + t * args.stride;
    for (size_t c = 0; c < dim; ++c) mean[c] += x[c];
  }
  const auto count = static_cast<float>(args.rows);
  for (size_t c = 0; c < dim; ++c) mean[c] /= count;
  const size_t group = args.kr * args.sr;
  for (size_t i = dim; i % group != 0; ++i) row[i] = 0;
  for (size_t t = 0; t < args.rows; ++t) {
    const float* x = args.x + t * args.stride;
    int32_t most = 0;
    for (size_t c = 0; c < dim; ++c) {
      centered[c] = x[c] - mean[c];
      most = Larger(most, Magnitude(centered[c]));
    }
    const Scaling scaling(most);
    int32_t sum = 0;
    for (size_t c = 0; c < dim; ++c) {
      row[c] = Rounded(centered[c], scaling.factor);
      sum += row[c];
    }
    const Channel channel(args, t);
    for (size_t i = 0; i < dim; i += group) channel.PutGroup(i, row + i);
    channel.PutSumAndScale(sum, scaling.scale);
  }
}

void PackInt8Values(const PackInt8Args& args) {
  const size_t dim = args.dim, group = args.kr * args.sr;
  auto* const most = reinterpret_cast<int32_t*>(args.scratch);
  auto* const sum = most + dim;
  float* const factor = args.scratch + 2 * dim;
  auto* const row = reinterpret_cast<int8_t*>(factor + dim);
  int8_t* const some = row + dim;  // A group of each channel.
  for (size_t c = 0; c < dim; ++c) most[c] = sum[c] = 0;
  for (size_t t = 0; t < args.rows; ++t) {
    const float* x = args.x + t * args.stride;
    for (size_t c = 0; c < dim; ++c) most[c] = Larger(most[c], Magnitude(x[c]));
  }
  for (size_t c = 0; c < dim; ++c) factor[c] = Scaling(most[c]).factor;
  for (size_t begin = 0; begin < args.rows; begin += group) {
    for (size_t t = 0; t < group; ++t) {
      if (begin + t < args.rows) {
        const float* x = args.x + (begin + t) * args.stride;
        for (size_t c = 0; c < dim; ++c) {
          row[c] = Rounded(x[c], factor[c]);
          sum[c] += row[c];
        }
      } else {
        for (size_t c = 0; c < dim; ++c) row[c] = 0;
      }
      for (size_t c = 0; c < dim; ++c) some[c * group + t] = row[c];
    }
    for (size_t c = 0; c < dim; ++c) {
      Channel(args, c).PutGroup(begin, some + c * group);
    }
  }
  for (size_t c = 0; c < dim; ++c) {
    Channel(args, c).PutSumAndScale(sum[c], Scaling(most[c]).scale);
  }
}

}  // namespace latimer::LATIMER_ISA
