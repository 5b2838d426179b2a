#include "model/check_numbers.h"

#include <cstring>

#include "base/format.h"
#include "model/tensor_list.h"
#include "ops/nibble/planes.h"

namespace latimer {
namespace {

// Bits of infinities as a float and as an f16.
constexpr uint32_t kInfinity = 0x7F800000;
constexpr uint32_t kHalfInfinity = 0x7C00;

// Whether `count` numbers whose infinity has the given bits are finite. Adding
// one to the exponent's lowest bit carries into the sign for infinities and
// NaNs, whose exponents have all bits set.
template <typename Bits>
bool AllFinite(const std::byte* numbers, uint64_t count, uint32_t infinity) {
  constexpr uint32_t kSign = uint32_t{1} << (8 * sizeof(Bits) - 1);
  uint32_t any = 0;
  for (uint64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, numbers + i * sizeof(bits), sizeof(bits));
    any |= (bits & ~kSign) + (kSign - infinity);
  }
  return (any & kSign) == 0;
}

bool AllFloatsFinite(const std::byte* numbers, uint64_t count) {
  return AllFinite<uint32_t>(numbers, count, kInfinity);
}

bool AllPositive(const std::byte* numbers, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    int32_t bits;  // Negative for a negative number.
    std::memcpy(&bits, numbers + i * sizeof(float), sizeof(bits));
    if (bits <= 0 || static_cast<uint32_t>(bits) >= kInfinity) return false;
  }
  return true;
}

bool AllWithin(const std::byte* numbers, uint64_t count, int32_t least,
               int32_t most) {
  for (uint64_t i = 0; i < count; ++i) {
    int32_t number;
    std::memcpy(&number, numbers + i * sizeof(number), sizeof(number));
    if (number < least || number > most) return false;
  }
  return true;
}

class NumberChecker {
 public:
  explicit NumberChecker(const Model& model) : model_(model) {}

  const Status& status() const { return status_; }

  void OnLinear(TensorGroup, const char* name, int layer, uint32_t, uint32_t,
                const Linear& linear) {
    Expect(CheckWeights(linear) &&
               (linear.bias == nullptr || IsFinite(linear.bias, linear.n)),
           name, "", layer);
  }

  void OnNorm(TensorGroup, const char* name, int layer, uint32_t width,
              bool has_beta, const Norm& norm) {
    Expect(IsFinite(norm.gamma, width), name, ".gamma", layer);
    if (has_beta) Expect(IsFinite(norm.beta, width), name, ".beta", layer);
  }

  void OnTable(TensorGroup, const char* name, uint32_t rows, uint32_t columns,
               const float* const& table) {
    Expect(IsFinite(table, uint64_t{rows} * columns), name, "", kNoLayer);
  }

 private:
  static bool IsFinite(const float* numbers, uint64_t count) {
    return AllFloatsFinite(reinterpret_cast<const std::byte*>(numbers), count);
  }

  bool CheckWeights(const Linear& w) const {
    if (w.nibbles) return CheckNibbles(w);
    if (IsInteger(w.type)) return CheckIntegers(w);
    const uint64_t bytes = PackedBytes(w.type, model_.tile, w.n, w.k);
    return InfoOf(w.type).bits == 32
               ? AllFloatsFinite(w.data, bytes / sizeof(float))
               : AllFinite<uint16_t>(w.data, bytes / sizeof(uint16_t),
                                     kHalfInfinity);
  }

  // A block has sums, weights, scales, zeros.
  bool CheckIntegers(const Linear& w) const {
    const uint32_t nr = ShapeOf(w.type, model_.tile).nr;
    const uint64_t bytes = PackedBlockBytes(w.type, model_.tile, w.k);
    // The same for four bits, whose sums are 16 times too large.
    const int32_t most = 128 * static_cast<int32_t>(w.k);
    const std::byte* block = w.data;
    for (uint32_t first = 0; first < w.n; first += nr, block += bytes) {
      const std::byte* zeros = block + bytes - nr * sizeof(float);
      const std::byte* scales = zeros - nr * sizeof(float);
      if (!AllWithin(block, nr, -most, most) ||
          !(InfoOf(w.type).signed_scales
                ? AllFloatsFinite(scales, nr)
                : CheckPositive(scales, nr, w.n - first)) ||
          !AllFloatsFinite(zeros, nr)) {
        return false;
      }
    }
    return true;
  }

  // A block of high nibbles also has sums, scales and norms; a block of low
  // ones has sums.
  static bool CheckNibbles(const Linear& w) {
    constexpr uint32_t kRows = kNibbleBlockRows;
    const uint64_t nibbles = uint64_t{kRows} * w.k / 2;
    const int32_t most = 15 * static_cast<int32_t>(w.k);
    const uint64_t low_bytes = NibbleLowBytes(w.k, InfoOf(w.type).bits);
    const std::byte* high = w.data;
    const std::byte* low = w.data + NibblePassBytes(w.n, w.k);
    for (uint32_t first = 0; first < w.n; first += kRows) {
      const std::byte* scales = high + nibbles + kRows * sizeof(int32_t);
      const std::byte* norms = scales + kRows * sizeof(float);
      if (!AllWithin(high + nibbles, kRows, 0, most) ||
          !AllWithin(low + low_bytes - kRows * sizeof(int32_t), kRows, 0,
                     most) ||
          !CheckPositive(scales, kRows, w.n - first) ||
          !CheckPositive(norms, kRows, w.n - first)) {
        return false;
      }
      high += NibbleHighBytes(w.k);
      low += low_bytes;
    }
    return true;
  }

  // The last block has only `used` channels; the others may be zero.
  static bool CheckPositive(const std::byte* numbers, uint32_t count,
                            uint32_t used) {
    return AllPositive(numbers, used < count ? used : count) &&
           AllFloatsFinite(numbers, count);
  }

  void Expect(bool good, const char* name, const char* suffix, int layer) {
    if (good || !status_.ok()) return;
    char text[64];
    FormatText(text, sizeof(text), name, layer);
    status_ = Status::Error(StatusCode::kCorrupt,
                            "The model is damaged: tensor %s%s has a number "
                            "that is not finite, a scale that is not positive, "
                            "or a sum that its weights cannot have; convert it "
                            "again.",
                            text, suffix);
  }

  const Model& model_;
  Status status_;
};

}  // namespace

Status CheckNumbers(Model* model) {
  NumberChecker checker(*model);
  VisitTensors(model->info.architecture, model->tensors, checker);
  return checker.status();
}

}  // namespace latimer
