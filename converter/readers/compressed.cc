#include "converter/readers/compressed.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <memory>
#include <new>

#include "converter/error.h"
#include "converter/input_file.h"
#include "converter/readers/tensor_file.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::string_view kZstandard = "\x28\xb5\x2f\xfd";
constexpr std::string_view kSuffixes[] = {".gz", ".zst"};

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

std::string CommandOf(const fs::path& path, bool gzip) {
  const std::string name = path.string();
  if (name.ends_with(".tar.gz") || name.ends_with(".tgz")) {
    return "tar -xzf " + name;
  }
  if (name.ends_with(".tar.zst")) return "tar --zstd -xf " + name;
  const std::string suffix(kSuffixes[gzip ? 0 : 1]);
  const std::string command = gzip ? "gunzip " : "unzstd --rm ";
  if (name.ends_with(suffix)) return command + name;
  // Neither program takes a file without its suffix.
  return Concat("mv ", name, " ", name, suffix, " && ", command, name, suffix);
}

}  // namespace

void RefuseCompressed(const fs::path& path, std::string_view begin) {
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
  // A header of safetensors may have a length that begins as gzip does.
  const bool gzip = begin.starts_with(kGzip) && !IsSafetensors(begin);
  if (!gzip && !begin.starts_with(kZstandard)) return;
  FailIn(path, "is compressed with ", gzip ? "gzip" : "Zstandard",
         "; unpack it first (", CommandOf(path, gzip), ")");
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
  return CommandOf(path, path.extension() == kSuffixes[0]);
}

bool IsGzip(std::span<const std::byte> bytes) {
  return AsText(bytes).starts_with(kGzip);
}

std::string Gunzip(std::span<const std::byte> bytes, const fs::path& path) {
  constexpr size_t kMost = size_t{1} << 30;
  constexpr int kWithGzipHeader = 16;
  const auto fail = [&](const char* why) {
    FailIn(path, why, "; unpack it (", CommandOf(path, true),
           ") and name the result");
  };
  if (bytes.size() > kMost) fail("has more than a GiB");
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + kWithGzipHeader) != Z_OK) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  stream.next_in =
      reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, 1 << 16> chunk;
  // A file may have several streams, one after another.
  for (int result = Z_OK; result != Z_STREAM_END || stream.avail_in > 0;) {
    if (result == Z_STREAM_END) inflateReset(&stream);
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = chunk.size();
    result = inflate(&stream, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END) {
      fail("is damaged gzip");
    }
    text.append(chunk.data(), chunk.size() - stream.avail_out);
    if (text.size() > kMost) fail("has more than a GiB of text");
  }
  return text;
}

}  // namespace latimer
