#include "converter/readers/compressed.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <new>

#include "converter/error.h"
#include "converter/readers/tensor_file.h"
#include "converter/readers/text_file.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::string_view kZstandard = "\x28\xb5\x2f\xfd";
constexpr std::string_view kSuffixes[] = {".gz", ".zst"};
constexpr size_t kBlock = size_t{1} << 16;

enum class Step { kMore, kEnd, kDamaged };

// Unpacks one format, block by block. Several streams may follow each other.
class Gzip {
 public:
  explicit Gzip(std::string_view bytes) {
    constexpr int kWithGzipHeader = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kWithGzipHeader) != Z_OK) {
      throw std::bad_alloc();
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
  }
  ~Gzip() { inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  Step Next(char* out, size_t* size) {
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(*size);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    *size -= stream_.avail_out;
    if (result == Z_OK) return Step::kMore;
    if (result != Z_STREAM_END) return Step::kDamaged;
    if (stream_.avail_in == 0) return Step::kEnd;
    inflateReset(&stream_);
    return Step::kMore;
  }

 private:
  z_stream stream_{};
};

class Zstandard {
 public:
  explicit Zstandard(std::string_view bytes)
      : stream_(ZSTD_createDCtx()), in_{bytes.data(), bytes.size(), 0} {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~Zstandard() { ZSTD_freeDCtx(stream_); }
  Zstandard(const Zstandard&) = delete;
  Zstandard& operator=(const Zstandard&) = delete;

  Step Next(char* out, size_t* size) {
    ZSTD_outBuffer buffer = {out, *size, 0};
    const size_t before = in_.pos;
    const size_t result = ZSTD_decompressStream(stream_, &buffer, &in_);
    *size = buffer.pos;
    if (ZSTD_isError(result) != 0) return Step::kDamaged;
    if (result == 0 && in_.pos == in_.size) return Step::kEnd;
    const bool stuck = in_.pos == before && buffer.pos == 0;
    return stuck ? Step::kDamaged : Step::kMore;
  }

 private:
  ZSTD_DCtx* stream_;
  ZSTD_inBuffer in_;
};

// Appends to `text` until it has `most` bytes.
template <typename Format>
Step UnpackAs(std::string_view bytes, size_t most, std::string* text) {
  Format format(bytes);
  Step result = Step::kMore;
  while (result == Step::kMore && text->size() < most) {
    std::array<char, kBlock> block;
    size_t size = std::min(block.size(), most - text->size());
    result = format.Next(block.data(), &size);
    text->append(block.data(), size);
  }
  return result;
}

Step UnpackUpTo(size_t most, std::string_view bytes, std::string* text) {
  return bytes.starts_with(kGzip) ? UnpackAs<Gzip>(bytes, most, text)
                                  : UnpackAs<Zstandard>(bytes, most, text);
}

// What a server sends in place of a file that it does not have.
bool IsWebPage(std::string_view begin) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (begin.starts_with(kByteOrderMark)) {
    begin.remove_prefix(kByteOrderMark.size());
  }
  begin.remove_prefix(
      std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
  const auto begins = [&](std::string_view tag) {
    return std::ranges::equal(
        begin.substr(0, tag.size()), tag,
        [](unsigned char a, char b) { return std::tolower(a) == b; });
  };
  return begins("<!doctype") || begins("<html");
}

bool IsArchive(std::string_view name) {
  return std::ranges::any_of(
      std::array{".tar.gz", ".tgz", ".tar.zst"},
      [&](std::string_view suffix) { return name.ends_with(suffix); });
}

}  // namespace

bool IsCompressed(std::string_view begin) {
  return begin.starts_with(kZstandard) ||
         (begin.starts_with(kGzip) && !IsSafetensors(begin));
}

std::string Unpack(std::string_view bytes, const fs::path& path) {
  constexpr size_t kMost = size_t{1} << 30, kFactor = 100;
  if (bytes.size() > kMost)
    FailIn(path, "has more than a GiB; unpack it first");
  const size_t most = std::min(kMost, kFactor * (bytes.size() + kBlock));
  std::string text;
  switch (UnpackUpTo(most, bytes, &text)) {
    case Step::kEnd:
      return text;
    case Step::kDamaged:
      FailIn(path, "is damaged ",
             bytes.starts_with(kGzip) ? "gzip" : "Zstandard",
             "; download it again");
    case Step::kMore:
      break;
  }
  FailIn(path, "unpacks into more than ", most / 1000000,
         " MB, which is no model's file; download it again");
}

std::string UnpackBegin(std::string_view bytes, size_t size) {
  std::string text;
  UnpackUpTo(size, bytes, &text);
  return text;
}

std::string UnpackedName(const fs::path& path) {
  std::string name = path.filename().string();
  for (const std::string_view suffix : kSuffixes) {
    if (!name.ends_with(suffix)) continue;
    name.resize(name.size() - suffix.size());
    break;
  }
  return name;
}

std::string UnpackCommand(const fs::path& path) {
  const bool gzip = path.extension() != kSuffixes[1];
  return (gzip ? "gunzip " : "unzstd --rm ") + path.string();
}

std::optional<fs::path> FindPacked(const fs::path& path) {
  if (FileExists(path)) return path;
  for (const std::string_view suffix : kSuffixes) {
    fs::path packed = path.string() + std::string(suffix);
    if (FileExists(packed)) return packed;
  }
  return std::nullopt;
}

void RefuseStandIns(const fs::path& path, std::string_view begin) {
  const std::string name = path.string();
  if (IsArchive(name)) {
    FailIn(path, "is an archive; unpack it first (tar -xf ", name, ")");
  }
  if (begin.starts_with("version https://git-lfs")) {
    FailIn(path,
           "is a Git LFS pointer and not the file itself; run git lfs pull in "
           "its folder");
  }
  if (IsWebPage(begin)) {
    FailIn(path,
           "is a web page and not the file itself; download it again, by the "
           "address of the file");
  }
}

}  // namespace latimer
