#include "os/text_lines.h"

#include <cstdio>

#include "os/system.h"

namespace latimer::cli {

std::vector<std::string> LinesOf(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  return lines;
}

bool ReadTextLines(const char* path, std::vector<std::string>* lines) {
  std::FILE* file = OpenStream(path, "rb");
  if (file == nullptr) return false;
  std::string text;
  char buffer[4096];
  while (const size_t bytes = std::fread(buffer, 1, sizeof(buffer), file)) {
    text.append(buffer, bytes);
  }
  *lines = LinesOf(text);
  const bool good = std::ferror(file) == 0;
  return std::fclose(file) == 0 && good;
}

TermLine ReadTermLine(std::string_view line) {
  const size_t tab = line.find('\t');
  if (tab == 0 || tab == line.npos || tab + 1 == line.size() ||
      tab != line.rfind('\t')) {
    return {};
  }
  return {line.substr(0, tab), line.substr(tab + 1)};
}

std::string NoTerm(std::string_view line) {
  return "each line has a source, a tab and a target, but one reads \"" +
         std::string(line.substr(0, 60)) + "\".";
}

}  // namespace latimer::cli
