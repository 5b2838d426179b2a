#include "converter/readers/text_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "converter/error.h"
#include "converter/readers/compressed.h"
#include "text/utf8.h"

namespace latimer {

std::string ReadText(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::array<char, 1 << 14> block;
  std::string bytes;
  do {
    file.read(block.data(), block.size());
    bytes.append(block.data(), static_cast<size_t>(file.gcount()));
  } while (file);
  // Most systems open a directory, and fail when it is read.
  if (!file.is_open() || file.bad()) {
    FailIn(path, "cannot be read (", std::strerror(errno), ")");
  }
  if (IsCompressed(bytes)) bytes = Unpack(bytes, path);
  RefuseStandIns(path, bytes);
  return bytes;
}

std::string ReadTextFile(const std::filesystem::path& path) {
  RequireRegularFile(path);
  return ReadText(path);
}

void RequireTokenizerFiles(const std::filesystem::path& folder,
                           std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const std::filesystem::path path = folder / name;
    RequireRegularFile(path);
    errno = 0;
    if (std::ifstream(path).is_open()) continue;
    FailIn(path, "cannot be read (", std::strerror(errno),
           "), and the tokenizer needs it; download it, or convert with "
           "--no-tokenizer");
  }
}

std::string FirstBytes(const std::filesystem::path& path) {
  constexpr size_t kFirst = 512;
  constexpr size_t kFirstPacked = size_t{1} << 18;  // A block of Zstandard.
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  const auto read_up_to = [&](size_t size) {
    const size_t had = bytes.size();
    bytes.resize(size);
    file.read(bytes.data() + had, static_cast<std::streamsize>(size - had));
    bytes.resize(had + static_cast<size_t>(file.gcount()));
  };
  read_up_to(kFirst);
  if (!IsCompressed(bytes)) return bytes;
  read_up_to(kFirstPacked);
  return UnpackBegin(bytes, kFirst);
}

bool FileExists(const std::filesystem::path& path) {
  if (std::filesystem::exists(path)) return true;
  RequireRegularFile(path);
  return false;
}

void RequireRegularFile(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (status.type() == std::filesystem::file_type::not_found &&
      std::filesystem::is_symlink(path, ignored)) {
    FailIn(path, "is a link to ",
           std::filesystem::read_symlink(path, ignored).string(),
           ", which is not there; download it again");
  }
  if (std::filesystem::exists(status) &&
      !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status)) {
    FailIn(path, "not a regular file");
  }
}

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<std::string> ReadLines(const std::filesystem::path& path) {
  const std::string text = ReadText(path);
  const std::vector<std::string_view> lines = SplitLines(text);
  return {lines.begin(), lines.end()};
}

std::vector<std::string> ReadSourceLines(const std::filesystem::path& path) {
  std::vector<std::string> lines = ReadLines(path);
  bool has_text = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!IsUtf8(lines[i])) {
      FailIn(path, "line ", i + 1, " is not UTF-8; give a text in UTF-8");
    }
    has_text = has_text || LeadingSpaceBytes(lines[i]) < lines[i].size();
  }
  if (!has_text) FailIn(path, "nothing to translate");
  return lines;
}

}  // namespace latimer
