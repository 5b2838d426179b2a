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
  size_t end = text->find_first_of("\r\n");
  if (end != text->npos) {
    end += text->substr(end).starts_with("\r\n") ? 2 : 1;
  }
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(line.size());
  return line;
}

std::string_view WithoutEnd(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
    line.remove_suffix(1);
  }
  return line;
}

bool HasTimes(std::string_view line) { return line.find("-->") != line.npos; }

// Whether a cue begins here, whose number may stand before its times.
bool BeginsCue(std::string_view file) {
  std::string_view line = WithoutEnd(TakeLine(&file));
  if (!line.empty() && std::ranges::all_of(line, [](char c) {
        return std::isdigit(static_cast<uint8_t>(c)) != 0;
      })) {
    line = TakeLine(&file);
  }
  return HasTimes(line);
}

// Bytes that a line begins with and that are no text: positions, such as
// {\an8}, and the dash of a speaker.
size_t MarkBytes(std::string_view line) {
  size_t bytes = 0;
  while (line.substr(bytes).starts_with("{\\")) {
    const size_t end = line.find('}', bytes);
    if (end == line.npos) break;
    bytes = end + 1;
  }
  for (const std::string_view dash : {"-", "\xE2\x80\x93", "\xE2\x80\x94"}) {
    const std::string_view rest = line.substr(bytes);
    if (!rest.starts_with(dash)) continue;
    const std::string_view after = rest.substr(dash.size());
    const bool negative =
        !after.empty() &&
        std::isdigit(static_cast<uint8_t>(after.front())) != 0;
    if (!negative) bytes += dash.size();
    break;
  }
  const size_t text = line.find_first_not_of(' ', bytes);
  return bytes == 0 ? 0 : std::min(text, line.size());
}

// Subtitles as what stands around the lines of texts, and those lines. A cue of
// two speakers has two texts.
struct CueText {
  std::string_view before;  // Everything since the last text's lines.
  std::vector<std::string_view> lines = {};
  // "\r\n", "\n" or "\r"; of the last line of a file maybe "".
  std::string_view line_end = {};
  std::string_view last_end = {};
};

std::vector<CueText> CueTextsOf(std::string_view file, std::string_view* rest) {
  std::vector<CueText> texts;
  const char* begin = file.data();  // Of what is in no text yet.
  while (!file.empty()) {
    if (!HasTimes(TakeLine(&file))) continue;
    bool is_first = true;
    while (!file.empty() && !BeginsCue(file)) {
      std::string_view after = file;
      const std::string_view line = TakeLine(&after);
      std::string_view text = WithoutEnd(line);
      if (text.empty()) break;
      const std::string_view end = line.substr(text.size());
      const size_t marks = MarkBytes(text);
      text.remove_prefix(marks);
      if (is_first || marks > 0) {
        texts.push_back(
            {.before = {begin, static_cast<size_t>(text.data() - begin)}});
      }
      CueText& current = texts.back();
      current.lines.push_back(text);
      if (current.line_end.empty()) current.line_end = end;
      current.last_end = end;
      is_first = false;
      file = after;
      begin = file.data();
    }
  }
  *rest = {begin, static_cast<size_t>(file.data() + file.size() - begin)};
  return texts;
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
  for (const CueText& cue : CueTextsOf(file, &rest)) {
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
  for (const CueText& cue : CueTextsOf(file, &rest)) {
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
