#include "files.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <random>
#include <utility>

#include "ascii.h"
#include "documents.h"
#include "latimer/profile_config.h"
#include "subtitles.h"

namespace latimer::server {
namespace {

constexpr std::pair<const char*, FileFormat> kEndings[] = {
    {".txt", FileFormat::kText},         {".html", FileFormat::kHtml},
    {".htm", FileFormat::kHtml},         {".srt", FileFormat::kSubtitles},
    {".vtt", FileFormat::kSubtitles},    {".docx", FileFormat::kOfficeOpen},
    {".pptx", FileFormat::kOfficeOpen},  {".odt", FileFormat::kOpenDocument},
    {".odp", FileFormat::kOpenDocument}, {".epub", FileFormat::kBook}};

constexpr auto kKept = std::chrono::minutes(30);

// Of a file in the store: the nodes of map and deque, and what the allocator
// adds, included.
size_t BytesOf(const std::string& name, const std::string& bytes) {
  constexpr size_t kEntryBytes = 256;
  return kEntryBytes + name.size() + bytes.size();
}

bool IsKnown(FileFormat format) {
  return kProfile.alignment || format == FileFormat::kText ||
         format == FileFormat::kSubtitles;
}

bool EndsWith(std::string_view name, std::string_view ending) {
  return name.size() > ending.size() &&
         EqualsIgnoringCase(name.substr(name.size() - ending.size()), ending);
}

}  // namespace

std::optional<FileFormat> FileFormatOf(std::string_view name) {
  for (const auto& [ending, format] : kEndings) {
    if (EndsWith(name, ending) && IsKnown(format)) return format;
  }
  return std::nullopt;
}

std::vector<std::string> FileEndings() {
  std::vector<std::string> endings;
  for (const auto& [ending, format] : kEndings) {
    if (IsKnown(format)) endings.emplace_back(ending);
  }
  return endings;
}

std::vector<FileText> TextsOf(FileFormat format, std::string_view file,
                              const OnGrowth& on_growth) {
  if (format == FileFormat::kSubtitles) {
    return TextsOfSubtitles(file, on_growth);
  }
  if (IsDocument(format)) return TextsOfDocument(format, file, on_growth);
  return {{std::string(file),
           format == FileFormat::kHtml ? Format::kHtml : Format::kText}};
}

std::string WithTranslations(FileFormat format, std::string_view file,
                             const std::vector<std::string>& translations) {
  if (format == FileFormat::kSubtitles) {
    return TranslatedSubtitles(file, translations);
  }
  return IsDocument(format) ? TranslatedDocument(format, file, translations)
                            : translations.front();
}

std::string SafeFileName(std::string_view name) {
  const size_t folder = name.find_last_of("/\\");
  if (folder != name.npos) name.remove_prefix(folder + 1);
  std::string safe;
  for (const char c : name) {
    const bool good = std::isalnum(static_cast<uint8_t>(c)) != 0 || c == '.' ||
                      c == '-' || c == '_';
    safe += good ? c : '_';
  }
  constexpr size_t kMostBytes = 100;  // Of which the end says the format.
  return safe.substr(safe.size() - std::min(safe.size(), kMostBytes));
}

void FileStore::DropOldest() {
  const auto oldest = by_age_.front();
  bytes_ -= BytesOf(oldest->first, oldest->second.bytes);
  by_age_.pop_front();
  files_.erase(oldest);
}

std::string FileStore::Keep(const std::string& name, std::string bytes) {
  std::random_device random;  // The operating system's.
  char id[33];
  for (int i = 0; i < 4; ++i) {
    std::snprintf(id + size_t{8} * static_cast<size_t>(i), 9, "%08x",
                  static_cast<unsigned>(random()));
  }
  const std::string own = std::string(id) + "." + name;
  const size_t size = BytesOf(own, bytes);
  if (size > most_bytes_) return "";
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  while (!by_age_.empty() &&
         (by_age_.front()->second.until < now || bytes_ + size > most_bytes_)) {
    DropOldest();
  }
  const auto [file, is_new] =
      files_.try_emplace(own, File{std::move(bytes), now + kKept});
  if (!is_new) return "";  // It is likelier that the memory is broken.
  by_age_.push_back(file);
  bytes_ += size;
  return own;
}

std::optional<std::string> FileStore::Find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  while (!by_age_.empty() && by_age_.front()->second.until < now) DropOldest();
  const auto found = files_.find(name);
  if (found == files_.end()) return std::nullopt;
  return found->second.bytes;
}

}  // namespace latimer::server
