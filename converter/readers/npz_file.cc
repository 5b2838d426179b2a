#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/error.h"
#include "converter/readers/tensor_file.h"
#include "converter/readers/zip_file.h"

namespace latimer {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr std::string_view kNumpyMagic = "\x93NUMPY";
constexpr std::string_view kTextPrefix = "special:";
constexpr size_t kMaxDimensions = 32;  // NumPy's own limit.

struct NpyHeader {
  std::string type;
  bool fortran_order = false;
  std::vector<uint64_t> shape;
};

// Reads the header, a Python literal: {'descr': '<f4', 'fortran_order': False,
// 'shape': (2, 3), }. Each function returns false if the text differs.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  std::optional<NpyHeader> Parse() {
    NpyHeader header;
    int fields = 0;
    if (!Take('{')) return std::nullopt;
    while (!Take('}')) {
      std::string key;
      if (!Quoted(&key) || !Take(':')) return std::nullopt;
      const bool good = key == "descr"           ? Type(&header.type)
                        : key == "fortran_order" ? Bool(&header.fortran_order)
                        : key == "shape"         ? Shape(&header.shape)
                                                 : false;
      if (!good || ++fields > 3) return std::nullopt;
      if (!Take(',') && Peek() != '}') return std::nullopt;
    }
    if (fields != 3) return std::nullopt;
    return header;
  }

 private:
  char Peek() {
    while (!text_.empty() && std::isspace(static_cast<uint8_t>(text_[0])) > 0) {
      text_.remove_prefix(1);
    }
    return text_.empty() ? '\0' : text_[0];
  }

  bool Take(char c) {
    if (Peek() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  bool Word(std::string_view word) {
    Peek();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  bool Quoted(std::string* out) {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return false;
    const size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) return false;
    *out = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }

  // A list describes the fields of a record.
  bool Type(std::string* out) {
    if (Peek() != '[') return Quoted(out);
    const size_t end = text_.rfind(']');
    if (end == std::string_view::npos) return false;
    text_.remove_prefix(end + 1);
    *out = "record";
    return true;
  }

  bool Bool(bool* out) {
    *out = Word("True");
    return *out || Word("False");
  }

  bool Shape(std::vector<uint64_t>* out) {
    if (!Take('(')) return false;
    while (!Take(')')) {
      Peek();
      uint64_t extent = 0;
      const char* begin = text_.data();
      const auto [end, error] =
          std::from_chars(begin, begin + text_.size(), extent);
      if (error != std::errc() || out->size() == kMaxDimensions) return false;
      text_.remove_prefix(static_cast<size_t>(end - begin));
      out->push_back(extent);
      Word("L");  // Python 2 wrote long integers this way.
      if (!Take(',') && Peek() != ')') return false;
    }
    return true;
  }

  std::string_view text_;
};

std::optional<SourceType> NumpyType(std::string_view type) {
  if (type == "<f4") return SourceType::kF32;
  if (type == "<f2") return SourceType::kF16;
  if (type == "<f8") return SourceType::kF64;
  return std::nullopt;
}

// The header of a .npy file and the bytes that follow it.
std::optional<std::pair<NpyHeader, std::span<const std::byte>>> ReadNpy(
    std::span<const std::byte> bytes) {
  const std::string_view text = AsText(bytes);
  if (!text.starts_with(kNumpyMagic) || text.size() < 12) return std::nullopt;
  const auto byte = [&](size_t i) { return std::to_integer<size_t>(bytes[i]); };
  // The length has two bytes in version 1, four in versions 2 and 3.
  const size_t major = byte(6);
  size_t begin = 10, length = byte(8) | byte(9) << 8;
  if (major == 2 || major == 3) {
    begin = 12;
    length |= byte(10) << 16 | byte(11) << 24;
  } else if (major != 1) {
    return std::nullopt;
  }
  if (length > bytes.size() - begin) return std::nullopt;
  const auto header = HeaderParser(text.substr(begin, length)).Parse();
  if (!header) return std::nullopt;
  return std::pair(*header, bytes.subspan(begin + length));
}

void AddArray(const std::filesystem::path& path, const ZipFile& zip,
              const std::string& name, std::span<const std::byte> bytes,
              TensorFile* out) {
  const auto fail = [&](const auto&... what) {
    FailIn(path, "array ", Printable(name), " ", what...);
  };
  const auto array = ReadNpy(bytes);
  if (!array) fail("has a malformed header");
  const auto& [header, data] = *array;
  if (name.starts_with(kTextPrefix)) {
    const std::string_view text = AsText(data);
    out->texts[name] = text.substr(0, text.find('\0'));
    return;
  }
  const std::optional<SourceType> type = NumpyType(header.type);
  if (!type) {
    out->unreadable.emplace(name, "has type " + Printable(header.type));
    return;
  }
  uint64_t needed = SizeOf(*type);
  for (const uint64_t extent : header.shape) {
    if (__builtin_mul_overflow(needed, extent, &needed)) {
      fail("has an impossible shape ", ShapeText(header.shape));
    }
  }
  if (needed != data.size()) {
    fail("has ", data.size(), " bytes where its shape needs ", needed);
  }
  SourceTensor tensor{.name = name,
                      .type = *type,
                      .shape = header.shape,
                      .data = data,
                      .file = zip.FileOf(data)};
  if (header.fortran_order && header.shape.size() > 1) {
    if (header.shape.size() > 2) {
      out->unreadable.emplace(name, "is in Fortran's order");
      return;
    }
    tensor.transposed = true;
  }
  out->tensors.emplace(name, std::move(tensor));
}

}  // namespace

TensorFile ReadNpz(const std::filesystem::path& path) {
  const auto zip = std::make_shared<ZipFile>(path);
  TensorFile out{.storage = zip};
  for (const auto& [entry, unused] : zip->entries()) {
    if (!entry.ends_with(kSuffix)) {
      FailIn(path, "holds ", Printable(entry),
             ", which is not an array; give a .npz file that Marian or "
             "numpy.savez wrote");
    }
    AddArray(path, *zip, entry.substr(0, entry.size() - kSuffix.size()),
             zip->Read(entry), &out);
  }
  return out;
}

}  // namespace latimer
