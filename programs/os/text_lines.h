// Files of lines that people write: words, patterns and terms.
#ifndef LATIMER_OS_TEXT_LINES_H_
#define LATIMER_OS_TEXT_LINES_H_

#include <string>
#include <string_view>
#include <vector>

namespace latimer::cli {

// The lines of a text, without their ends and a byte order mark.
std::vector<std::string> LinesOf(std::string_view text);

// Those of a file. False if it cannot be read; errno says why.
bool ReadTextLines(const char* path, std::vector<std::string>* lines);

// A line of terms is a source, a tab and a target. Both are empty if it is
// none. They view the line.
struct TermLine {
  std::string_view source, target;
};
TermLine ReadTermLine(std::string_view line);

// The sentence that refuses a line which is no term.
std::string NoTerm(std::string_view line);

}  // namespace latimer::cli

#endif  // LATIMER_OS_TEXT_LINES_H_
