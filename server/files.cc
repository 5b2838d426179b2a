#include "files.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <random>
#include <span>
#include <utility>

#include "latimer/profile_config.h"

namespace latimer::server {
namespace {

constexpr std::pair<const char*, FileFormat> kEndings[] = {
    {".txt", FileFormat::kText},
    {".html", FileFormat::kHtml},
    {".htm", FileFormat::kHtml},
    {".srt", FileFormat::kSubRip}};

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

// Takes a line with its end off the beginning.
std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  const std::string_view line =
      text->substr(0, end == text->npos ? end : end + 1);
  text->remove_prefix(line.size());
  return line;
}

std::string_view WithoutEnd(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
    line.remove_suffix(1);
  }
  return line;
}

// Subtitles as what stands around the lines of cues, and those lines.
struct Cue {
  std::string_view before;  // Everything since the last cue's lines.
  std::vector<std::string_view> lines;
  std::string_view line_end;  // "\r\n" or "\n"; of the last line maybe "".
  std::string_view last_end;
};

std::vector<Cue> CuesOf(std::string_view file, std::string_view* rest) {
  std::vector<Cue> cues;
  const char* begin = file.data();
  while (!file.empty()) {
    const std::string_view line = TakeLine(&file);
    if (line.find("-->") == line.npos) continue;
    Cue cue;
    cue.before = {begin, static_cast<size_t>(file.data() - begin)};
    while (!file.empty()) {
      std::string_view after = file;
      const std::string_view next = TakeLine(&after);
      const std::string_view text = WithoutEnd(next);
      if (text.empty()) break;
      cue.lines.push_back(text);
      cue.last_end = next.substr(text.size());
      if (cue.line_end.empty()) cue.line_end = cue.last_end;
      file = after;
    }
    begin = file.data();
    cues.push_back(std::move(cue));
  }
  *rest = {begin, static_cast<size_t>(file.data() + file.size() - begin)};
  return cues;
}

// As many lines of about the same length as there were, broken at spaces.
std::string InLines(std::string_view text, size_t lines,
                    std::string_view line_end) {
  std::string out;
  for (; lines > 1; --lines) {
    const size_t ideal = text.size() / lines;
    const size_t before = text.rfind(' ', ideal);
    const size_t after = text.find(' ', ideal);
    size_t at = after;
    if (before != text.npos &&
        (after == text.npos || ideal - before <= after - ideal)) {
      at = before;
    }
    if (at == text.npos) break;
    out += text.substr(0, at);
    out += line_end;
    text.remove_prefix(at + 1);
  }
  return out += text;
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
  if (format != FileFormat::kSubRip) {
    return {{std::string(file),
             format == FileFormat::kHtml ? Format::kHtml : Format::kText}};
  }
  std::string_view rest;
  std::vector<FileText> texts;
  for (const Cue& cue : CuesOf(file, &rest)) {
    FileText& text = texts.emplace_back();
    for (const std::string_view line : cue.lines) {
      if (!text.text.empty()) text.text += ' ';
      text.text += line;
    }
    // <i> and the like.
    const bool tags = text.text.find("</") != std::string::npos;
    if (tags && IsKnown(FileFormat::kHtml)) text.format = Format::kHtml;
  }
  return texts;
}

std::string WithTranslations(FileFormat format, std::string_view file,
                             const std::vector<std::string>& translations) {
  if (format != FileFormat::kSubRip) return translations.front();
  std::string_view rest;
  std::string out;
  size_t number = 0;
  for (const Cue& cue : CuesOf(file, &rest)) {
    out += cue.before;
    out += InLines(translations[number++], cue.lines.size(), cue.line_end);
    out += cue.last_end;
  }
  return out += rest;
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
