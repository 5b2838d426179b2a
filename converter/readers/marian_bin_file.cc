#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "converter/error.h"
#include "converter/input_file.h"
#include "converter/readers/tensor_file.h"

namespace latimer {
namespace {

constexpr uint64_t kVersion = 1;
constexpr uint64_t kEncryptedVersion = 2;
constexpr std::string_view kTextPrefix = "special:";
constexpr std::string_view kActivationScale = "_QuantMultA";

// Marian's type numbers. browsermt's fork, from which Firefox's models come,
// has another number for intgemm8.
constexpr uint64_t kFloat16 = 0x402;
constexpr uint64_t kFloat32 = 0x404;
constexpr uint64_t kFloat64 = 0x408;
constexpr uint64_t kIntgemm8 = 0x10001;
constexpr uint64_t kIntgemm8Browsermt = 0x4101;

// Types that Marian converts a model to for one kind of CPU, and 16-bit
// integers.
constexpr std::pair<uint64_t, const char*> kPackedTypes[] = {
    {0x802, "packed16"},
    {0x1801, "packed8avx2"},
    {0x2801, "packed8avx512"},
    {0x18001, "intgemm8ssse3"},
    {0x11001, "intgemm8avx2"},
    {0x12001, "intgemm8avx512"},
    {0x13001, "intgemm8avx512vnni"},
    {0x10002, "intgemm16"},
    {0x4102, "intgemm16"},
    {0x14002, "intgemm16sse2"},
    {0x11002, "intgemm16avx2"},
    {0x12002, "intgemm16avx512"},
};

std::optional<SourceType> KnownType(uint64_t type) {
  switch (type) {
    case kFloat16:
      return SourceType::kF16;
    case kFloat32:
      return SourceType::kF32;
    case kFloat64:
      return SourceType::kF64;
    case kIntgemm8:
    case kIntgemm8Browsermt:
      return SourceType::kInt8;
    default:
      return std::nullopt;
  }
}

struct Header {
  uint64_t name_bytes;
  uint64_t type;
  uint64_t dimensions;
  uint64_t data_bytes;
};

void AddItem(const std::string& path, const InputFile& file,
             const std::string& name, uint64_t type,
             const std::vector<uint64_t>& shape,
             std::span<const std::byte> data, TensorFile* out) {
  const std::string tensor_name = "tensor " + Printable(name);
  if (name.starts_with(kTextPrefix)) {
    const std::string_view text = AsText(data);
    out->texts[name] = text.substr(0, text.find('\0'));
    return;
  }
  if (name.ends_with(kActivationScale)) return;
  for (const auto& [number, packed] : kPackedTypes) {
    if (type == number) {
      FailIn(path, tensor_name, " is stored as ", packed,
             ", which cannot be taken apart again; give the .npz it was made "
             "of, or a .bin of float32 or intgemm8");
    }
  }
  const std::optional<SourceType> known = KnownType(type);
  if (!known) {
    out->unreadable.emplace(name, "has Marian's type " + std::to_string(type));
    return;
  }
  uint64_t bytes = SizeOf(*known);
  for (const uint64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      FailIn(path, tensor_name, " has an impossible shape ", ShapeText(shape));
    }
  }
  SourceTensor tensor{.name = name, .type = *known, .shape = shape, .data = {}};
  const uint64_t multiplier_bytes =
      *known == SourceType::kInt8 ? sizeof(float) : 0;
  // Items are padded.
  if (bytes > data.size() || multiplier_bytes > data.size() - bytes) {
    FailIn(path, tensor_name, " has ", data.size(),
           " bytes where its shape needs ", bytes);
  }
  tensor.data = data.first(bytes);
  tensor.file = &file;
  if (*known == SourceType::kInt8) {
    const float scale = 1.0f / Load<float>(data.subspan(bytes));
    if (!std::isnormal(scale) || scale < 0.0f) {
      FailIn(path, "the multiplier of ", tensor_name,
             " is not a positive number");
    }
    if (shape.size() != 2) {
      FailIn(path, tensor_name, " is int8 and no matrix, but ",
             ShapeText(shape));
    }
    tensor.scale = scale;
    // Embeddings are stored as their shape says, all others transposed.
    tensor.transposed = name.find("Wemb") == std::string::npos;
  }
  if (!out->tensors.emplace(name, std::move(tensor)).second) {
    FailIn(path, "has two tensors named ", Printable(name));
  }
}

}  // namespace

bool IsMarianBin(std::string_view begin) {
  // A safetensors file begins with the length of its JSON header.
  uint64_t version = 0;
  if (begin.size() < 2 * sizeof(version) || begin[sizeof(version)] == '{') {
    return false;
  }
  std::memcpy(&version, begin.data(), sizeof(version));
  return version == kVersion || version == kEncryptedVersion;
}

TensorFile ReadMarianBin(const std::filesystem::path& path) {
  const auto file = std::make_shared<const InputFile>(path);
  TensorFile out{.storage = file};
  std::span<const std::byte> rest = file->bytes();
  // The next `count` items of `size` bytes.
  const auto take = [&](uint64_t count, uint64_t size = 1) {
    if (count > rest.size() / size) {
      FailIn(path, "the file is truncated or damaged; copy it again");
    }
    const std::span<const std::byte> taken = rest.first(count * size);
    rest = rest.subspan(count * size);
    return taken;
  };
  if (Load<uint64_t>(take(1, sizeof(uint64_t))) != kVersion) {
    FailIn(path, "the file is encrypted; save it without encryption");
  }
  const auto count = Load<uint64_t>(take(1, sizeof(uint64_t)));
  const auto headers = take(count, sizeof(Header));
  std::vector<std::string> names;
  for (uint64_t i = 0; i < count; ++i) {
    const auto bytes = take(Load<Header>(headers, i).name_bytes);
    std::string name(AsText(bytes));
    if (name.empty() || name.back() != '\0') {
      FailIn(path, "the name of item ", i, " is malformed");
    }
    name.pop_back();
    names.push_back(std::move(name));
  }
  std::vector<std::vector<uint64_t>> shapes(count);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t dimensions = Load<Header>(headers, i).dimensions;
    const auto bytes = take(dimensions, sizeof(int32_t));
    for (uint64_t k = 0; k < dimensions; ++k) {
      const auto extent = Load<int32_t>(bytes, k);
      if (extent < 0) {
        FailIn(path, "tensor ", Printable(names[i]), " has a negative size");
      }
      shapes[i].push_back(static_cast<uint64_t>(extent));
    }
  }
  take(Load<uint64_t>(take(1, sizeof(uint64_t))));  // Padding.
  for (uint64_t i = 0; i < count; ++i) {
    const auto header = Load<Header>(headers, i);
    AddItem(path.string(), *file, names[i], header.type, shapes[i],
            take(header.data_bytes), &out);
  }
  return out;
}

}  // namespace latimer
