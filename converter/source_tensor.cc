#include "converter/source_tensor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/half.h"
#include "converter/error.h"
#include "converter/input_file.h"

namespace latimer {
namespace {

static_assert(std::endian::native == std::endian::little);

float Bfloat16ToFloat(uint16_t value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value) << 16);
}

// Rounds to nearest, as torch and NumPy do; infinite beyond the range of f32.
float DoubleToFloat(double value) { return static_cast<float>(value); }

float Identity(float value) { return value; }

int8_t IdentityInt8(int8_t value) { return value; }

// out[i] = convert(element (begin + i)), stored as a T at any alignment.
template <typename T, typename Convert, typename Out>
void ReadAs(const SourceTensor& tensor, uint64_t begin, Convert convert,
            std::span<Out> out) {
  const auto load = [&](uint64_t index) {
    T stored;
    std::memcpy(&stored, tensor.data.data() + index * sizeof(T), sizeof(T));
    return convert(stored);
  };
  if (!tensor.transposed) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = load(begin + i);
    return;
  }
  const uint64_t rows = tensor.shape.at(0), columns = tensor.shape.at(1);
  if (out.empty()) return;
  uint64_t row = begin / columns, column = begin % columns;
  for (Out& value : out) {
    value = load(column * rows + row);
    if (++column == columns) {
      column = 0;
      ++row;
    }
  }
}

// The integers, each times the scale of its row.
template <typename T>
void ReadScaled(const SourceTensor& tensor, uint64_t begin,
                std::span<float> out) {
  ReadAs<T>(
      tensor, begin, [](T value) { return static_cast<float>(value); }, out);
  if (tensor.row_scales == nullptr) {
    for (float& value : out) value *= tensor.scale;
    return;
  }
  const uint64_t columns = tensor.shape.at(1);
  for (uint64_t i = 0; i < out.size();) {
    const uint64_t row = (begin + i) / columns;
    const float scale = tensor.ScaleOf(row);
    const uint64_t end =
        std::min<uint64_t>(out.size(), (row + 1) * columns - begin);
    for (; i < end; ++i) out[i] *= scale;
  }
}

}  // namespace

size_t SizeOf(SourceType type) {
  switch (type) {
    case SourceType::kF32:
      return 4;
    case SourceType::kF16:
    case SourceType::kBf16:
    case SourceType::kInt16:
      return 2;
    case SourceType::kF64:
      return 8;
    case SourceType::kInt8:
      return 1;
  }
  return 0;
}

void SourceTensor::Read(uint64_t begin, std::span<float> out) const {
  LATIMER_CHECK(begin <= size() && out.size() <= size() - begin);
  switch (type) {
    case SourceType::kF32:
      return ReadAs<float>(*this, begin, Identity, out);
    case SourceType::kF16:
      return ReadAs<uint16_t>(*this, begin, HalfToFloat, out);
    case SourceType::kBf16:
      return ReadAs<uint16_t>(*this, begin, Bfloat16ToFloat, out);
    case SourceType::kF64:
      return ReadAs<double>(*this, begin, DoubleToFloat, out);
    case SourceType::kInt8:
      return ReadScaled<int8_t>(*this, begin, out);
    case SourceType::kInt16:
      return ReadScaled<int16_t>(*this, begin, out);
  }
}

std::vector<float> SourceTensor::Values() const {
  std::vector<float> values(size());
  Read(0, values);
  return values;
}

void SourceTensor::ReadIntegers(uint64_t begin, std::span<int8_t> out) const {
  LATIMER_CHECK(type == SourceType::kInt8);
  LATIMER_CHECK(begin <= size() && out.size() <= size() - begin);
  ReadAs<int8_t>(*this, begin, IdentityInt8, out);
}

void SourceTensor::Forget(uint64_t begin, uint64_t count) const {
  LATIMER_CHECK(begin <= size() && count <= size() - begin);
  if (file == nullptr) return;
  file->Forget(data.subspan(begin * SizeOf(type), count * SizeOf(type)));
}

bool SourceTensor::SameAs(const SourceTensor& other) const {
  if (type != other.type || shape != other.shape || scale != other.scale ||
      transposed != other.transposed || data.size() != other.data.size() ||
      (row_scales == nullptr) != (other.row_scales == nullptr) ||
      (row_scales != nullptr && *row_scales != *other.row_scales)) {
    return false;
  }
  if (data.data() == other.data.data()) return true;
  constexpr uint64_t kStep = 1 << 20;  // Numbers.
  for (uint64_t begin = 0; begin < size(); begin += kStep) {
    const uint64_t count = std::min(kStep, size() - begin);
    const uint64_t offset = begin * SizeOf(type);
    if (std::memcmp(data.data() + offset, other.data.data() + offset,
                    count * SizeOf(type)) != 0) {
      return false;
    }
    Forget(begin, count);
    other.Forget(begin, count);
  }
  return true;
}

SourceTensor SourceTensor::Transposed() const {
  LATIMER_CHECK(shape.size() == 2 && row_scales == nullptr);
  SourceTensor other = *this;
  other.shape = {shape[1], shape[0]};
  other.transposed = !transposed;
  return other;
}

void CheckFinite(std::span<const float> values, const std::string& name) {
  if (std::ranges::all_of(values, [](float v) { return std::isfinite(v); })) {
    return;
  }
  FailWith("Tensor ", name,
           " contains a number that is not finite (infinity or "
           "NaN); the model cannot be converted.");
}

std::string ShapeText(std::span<const uint64_t> shape) {
  return Concat("[", Joined(shape), "]");
}

}  // namespace latimer
