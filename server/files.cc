#include "files.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <random>
#include <span>
#include <utility>

#include "latimer/profile_config.h"
#include "subtitles.h"

namespace latimer::server {
namespace {

constexpr std::pair<const char*, FileFormat> kEndings[] = {
    {".txt", FileFormat::kText},
    {".html", FileFormat::kHtml},
    {".htm", FileFormat::kHtml},
    {".srt", FileFormat::kSubtitles},
    {".vtt", FileFormat::kSubtitles}};

constexpr auto kKept = std::chrono::minutes(30);

bool IsKnown(FileFormat format) {
  return format != FileFormat::kHtml || kProfile.alignment;
}

bool EndsWith(std::string_view name, std::string_view ending) {
  return name.size() > ending.size() &&
         std::ranges::equal(name.substr(name.size() - ending.size()), ending,
                            [](char a, char b) {
                              return std::tolower(static_cast<uint8_t>(a)) == b;
                            });
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

std::vector<FileText> TextsOf(FileFormat format, std::string_view file) {
  if (format == FileFormat::kSubtitles) return TextsOfSubtitles(file);
  return {{std::string(file),
           format == FileFormat::kHtml ? Format::kHtml : Format::kText}};
}

std::string WithTranslations(FileFormat format, std::string_view file,
                             const std::vector<std::string>& translations) {
  return format == FileFormat::kSubtitles
             ? TranslatedSubtitles(file, translations)
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
  bytes_ -= files_.front().bytes.size();
  files_.pop_front();
}

std::string FileStore::Keep(const std::string& name, std::string bytes) {
  if (bytes.size() > most_bytes_) return "";
  std::random_device random;  // The operating system's.
  char id[33];
  for (int i = 0; i < 4; ++i) {
    std::snprintf(id + size_t{8} * static_cast<size_t>(i), 9, "%08x",
                  static_cast<unsigned>(random()));
  }
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  while (!files_.empty() &&
         (files_.front().until < now || bytes_ + bytes.size() > most_bytes_)) {
    DropOldest();
  }
  bytes_ += bytes.size();
  files_.push_back(
      {std::string(id) + "." + name, std::move(bytes), now + kKept});
  return files_.back().name;
}

std::optional<std::string> FileStore::Find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  while (!files_.empty() && files_.front().until < Clock::now()) DropOldest();
  const auto found = std::ranges::find(files_, name, &File::name);
  if (found == files_.end()) return std::nullopt;
  return found->bytes;
}

}  // namespace latimer::server
