#include "converter/readers/ctranslate2_file.h"

#include <array>
#include <cmath>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "converter/error.h"
#include "converter/input_file.h"
#include "converter/readers/text_file.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

using Number = CTranslate2File::Number;

constexpr uint32_t kFirstVersion = 1;
constexpr uint32_t kLastVersion = 6;
// What the names of version 1 begin with.
constexpr std::string_view kOldNames = "transformer/";
constexpr std::string_view kScale = "_scale";
// Of int16 matrices that have no scale of their own.
constexpr double kInt16Scale = 1000;

// The number is CTranslate2's.
enum class Type : uint8_t { kF32, kInt8, kInt16, kInt32, kF16, kBf16, kCount };

uint64_t BytesOf(Type type) {
  constexpr uint64_t kBytes[] = {4, 1, 2, 4, 2, 2};
  return kBytes[static_cast<size_t>(type)];
}

bool IsQuantized(const SourceTensor& tensor) {
  return tensor.type == SourceType::kInt8 || tensor.type == SourceType::kInt16;
}

// The name that a variable of version 1 has since: map_v1_variable_name in
// src/models/transformer.cc.
std::string NameSinceVersion2(std::string name) {
  const auto replace = [&name](std::string_view from, std::string_view to) {
    const size_t at = name.find(from);
    if (at != name.npos) name.replace(at, from.size(), to);
  };
  replace(kOldNames, "");
  replace(":0", "");
  replace("w_embs", "embeddings/weight");
  replace("kernel", "weight");
  replace("LayerNorm", "layer_norm");
  replace("dense", "projection");
  replace("conv1d_", "linear_");
  replace("conv1d", "linear_0");
  if (name.find("encoder") != name.npos) {
    replace("multi_head", "self_attention");
  } else {
    replace("masked_multi_head", "self_attention");
    replace("multi_head", "attention");
  }
  return name;
}

class CTranslate2Reader {
 public:
  explicit CTranslate2Reader(const fs::path& path)
      : path_(path),
        file_(std::make_shared<const InputFile>(path)),
        rest_(file_->bytes()) {}

  CTranslate2File Read() {
    out_.version = Take<uint32_t>();
    if (out_.version < kFirstVersion || out_.version > kLastVersion) {
      FailIn(path_, "is CTranslate2's binary version ", out_.version, ", and ",
             kFirstVersion, " to ", kLastVersion,
             " are known; convert the original model again with another "
             "release of CTranslate2, or give that model");
    }
    if (out_.version == 1) {
      out_.spec = "TransformerBase";
      out_.revision = 1;
    } else {
      out_.spec = TakeText();
      out_.revision = Take<uint32_t>();
    }
    out_.tensors.storage = file_;
    for (auto left = Take<uint32_t>(); left > 0; --left) ReadVariable();
    ApplyScales();
    if (out_.version >= 3) {
      for (auto left = Take<uint32_t>(); left > 0; --left) ReadAlias();
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void FailTruncated() const {
    FailIn(path_, "the file is truncated or damaged; copy it again");
  }

  std::span<const std::byte> TakeBytes(uint64_t count) {
    if (count > rest_.size()) FailTruncated();
    const std::span<const std::byte> taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  template <typename T>
  T Take() {
    return Load<T>(TakeBytes(sizeof(T)));
  }

  std::string TakeText() {
    const std::string_view text = AsText(TakeBytes(Take<uint16_t>()));
    if (text.empty() || text.back() != '\0') FailTruncated();
    return std::string(text.substr(0, text.size() - 1));
  }

  Type TakeType(const std::string& name) {
    const auto number = Take<uint8_t>();
    if (out_.version >= 4) {
      if (number < static_cast<uint8_t>(Type::kCount)) {
        return static_cast<Type>(number);
      }
    } else {  // The size of an item.
      if (number == 4) return Type::kF32;
      if (number == 2) return Type::kInt16;
      if (number == 1) return Type::kInt8;
    }
    FailIn(path_, Printable(name), " has the unknown type ", number);
  }

  void ReadVariable() {
    const std::string name =
        out_.revision == 1 ? NameSinceVersion2(TakeText()) : TakeText();
    std::vector<uint64_t> shape(Take<uint8_t>());
    for (uint64_t& extent : shape) extent = Take<uint32_t>();
    const Type type = TakeType(name);
    uint64_t needed = BytesOf(type);
    for (const uint64_t extent : shape) {
      if (__builtin_mul_overflow(needed, extent, &needed)) FailTruncated();
    }
    const uint64_t stated =
        Take<uint32_t>() * (out_.version >= 4 ? 1 : BytesOf(type));
    if (stated != needed) {
      FailIn(path_, Printable(name), " ", ShapeText(shape), " has ", stated,
             " bytes instead of ", needed);
    }
    const std::span<const std::byte> data = TakeBytes(needed);
    if (!names_.insert(name).second) {
      FailIn(path_, "has two variables named ", Printable(name));
    }
    if (shape.empty()) {
      out_.numbers[name] = NumberOf(type, data);
    } else if (type == Type::kInt8 && shape.size() == 1) {
      out_.tensors.texts[name] = std::string(AsText(data));
    } else {
      AddTensor(name, type, std::move(shape), data);
    }
  }

  Number NumberOf(Type type, std::span<const std::byte> data) const {
    switch (type) {
      case Type::kInt8:
        return {static_cast<double>(Load<int8_t>(data)), true};
      case Type::kInt16:
        return {static_cast<double>(Load<int16_t>(data)), true};
      case Type::kInt32:
        return {static_cast<double>(Load<int32_t>(data)), true};
      case Type::kF32:
      case Type::kF16:
      case Type::kBf16:
      case Type::kCount:
        break;
    }
    SourceTensor tensor{
        .name = {}, .type = *SourceTypeOf(type), .shape = {}, .data = data};
    return {static_cast<double>(tensor.Values().front()), false};
  }

  static std::optional<SourceType> SourceTypeOf(Type type) {
    switch (type) {
      case Type::kF32:
        return SourceType::kF32;
      case Type::kInt8:
        return SourceType::kInt8;
      case Type::kInt16:
        return SourceType::kInt16;
      case Type::kF16:
        return SourceType::kF16;
      case Type::kBf16:
        return SourceType::kBf16;
      case Type::kInt32:
      case Type::kCount:
        break;
    }
    return std::nullopt;
  }

  void AddTensor(const std::string& name, Type type,
                 std::vector<uint64_t> shape, std::span<const std::byte> data) {
    const std::optional<SourceType> known = SourceTypeOf(type);
    const bool integer = type == Type::kInt8 || type == Type::kInt16;
    if (!known) {
      out_.tensors.unreadable[name] = "has type int32";
    } else if (integer && shape.size() != 2) {
      out_.tensors.unreadable[name] = "is quantized and no matrix";
    } else {
      out_.tensors.tensors[name] = {.name = name,
                                    .type = *known,
                                    .shape = std::move(shape),
                                    .data = data,
                                    .file = file_.get()};
    }
  }

  // The factors of the rows of a quantized matrix, or one for all of them. They
  // leave the file's tensors or numbers.
  std::vector<float> TakeScales(const SourceTensor& matrix) {
    const std::string name = matrix.name + std::string(kScale);
    const auto vector = out_.tensors.tensors.find(name);
    const auto number = out_.numbers.find(name);
    std::vector<float> scales;
    if (vector != out_.tensors.tensors.end() && !IsQuantized(vector->second)) {
      scales = vector->second.Values();
      out_.tensors.tensors.erase(vector);
    } else if (number != out_.numbers.end() && !number->second.is_integer) {
      scales = {static_cast<float>(number->second.value)};
      out_.numbers.erase(number);
    } else if (names_.contains(name)) {
      FailIn(path_, Printable(name), " holds no floats, but the scales of ",
             Printable(matrix.name),
             " are; the file is damaged, copy it again");
    } else if (matrix.type == SourceType::kInt16) {
      scales = {static_cast<float>(kInt16Scale)};
    } else {
      FailIn(path_, Printable(matrix.name), " is int8, but there is no ",
             Printable(name));
    }
    if (scales.size() != 1 && scales.size() != matrix.shape[0]) {
      FailIn(path_, Printable(name), " has ", scales.size(),
             " numbers, but the matrix has ", matrix.shape[0], " rows");
    }
    for (float& scale : scales) {
      scale = 1.0f / scale;
      if (!std::isnormal(scale) || scale < 0.0f) {
        FailIn(path_, Printable(name), " holds a number that is no scale");
      }
    }
    return scales;
  }

  // Scales leave the tensors that this loop walks through. They are not
  // quantized, so never the one that it has reached.
  void ApplyScales() {
    for (auto& [name, tensor] : out_.tensors.tensors) {
      if (!IsQuantized(tensor)) continue;
      std::vector<float> scales = TakeScales(tensor);
      if (scales.size() == 1) {
        tensor.scale = scales[0];
      } else {
        tensor.row_scales =
            std::make_shared<const std::vector<float>>(std::move(scales));
      }
    }
  }

  // Gives an entry of `entries` a second name.
  template <typename T>
  static void Alias(const std::string& name, const std::string& original,
                    std::map<std::string, T>* entries) {
    const auto found = entries->find(original);
    if (found == entries->end()) return;
    T alias = found->second;
    if constexpr (std::is_same_v<T, SourceTensor>) alias.name = name;
    entries->emplace(name, std::move(alias));
  }

  // CTranslate2 ignores an alias of nothing.
  void ReadAlias() {
    const std::string name = TakeText(), original = TakeText();
    if (!names_.contains(original)) return;
    if (!names_.insert(name).second) {
      FailIn(path_, "has two variables named ", Printable(name));
    }
    // Texts are copied: a small file must not fill the memory.
    const auto text = out_.tensors.texts.find(original);
    if (text != out_.tensors.texts.end()) {
      copied_bytes_ += text->second.size();
      if (copied_bytes_ > file_->bytes().size()) {
        FailIn(path_, "has aliases that repeat more text than the file has; ",
               "it is damaged, copy it again");
      }
    }
    Alias(name, original, &out_.tensors.tensors);
    Alias(name, original, &out_.tensors.unreadable);
    Alias(name, original, &out_.tensors.texts);
    Alias(name, original, &out_.numbers);
  }

  const fs::path& path_;
  const std::shared_ptr<const InputFile> file_;
  std::span<const std::byte> rest_;
  std::set<std::string> names_;
  uint64_t copied_bytes_ = 0;  // Of texts, for aliases.
  CTranslate2File out_;
};

}  // namespace

bool IsCTranslate2File(const fs::path& path) {
  std::array<char, 128> bytes = {};
  if (!FileExists(path) || !fs::is_regular_file(path)) return false;
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), bytes.size());
  const std::string_view begin(bytes.data(),
                               static_cast<size_t>(file.gcount()));
  // A text with its length and the zero that ends it, or "".
  const auto text_at = [begin](size_t at) -> std::string_view {
    constexpr size_t kLength = 2;
    if (begin.size() < at + kLength || begin[at + 1] != '\0') return "";
    const size_t length = static_cast<uint8_t>(begin[at]);
    const std::string_view rest = begin.substr(at + kLength);
    if (length < 2 || rest.size() < length || rest[length - 1] != '\0') {
      return "";
    }
    return rest.substr(0, length - 1);
  };
  // A version below 256 and the spec, or version 1, a count and a variable.
  constexpr size_t kSpecAt = 4, kFirstNameAt = 8;
  if (begin.size() < kSpecAt || begin.substr(1, 3) != std::string(3, '\0')) {
    return false;
  }
  if (begin[0] == 1) return text_at(kFirstNameAt).starts_with(kOldNames);
  const std::string_view spec = text_at(kSpecAt);
  return spec.ends_with("Spec") || spec.starts_with("Transformer");
}

CTranslate2File ReadCTranslate2File(const fs::path& path) {
  return CTranslate2Reader(path).Read();
}

}  // namespace latimer
