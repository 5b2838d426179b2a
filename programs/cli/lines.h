// Shared by the commands that read and write lines.
#ifndef LATIMER_CLI_LINES_H_
#define LATIMER_CLI_LINES_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "latimer/status.h"
#include "latimer/translation.h"

namespace latimer::cli {

// Parses "12 7 0". kInvalidArgument if something is not a number.
Status ParseIds(std::string_view line, std::vector<int32_t>* ids);

// "12 7 0" in `*text`, which grows only if it has no room.
void FormatIds(std::span<const int32_t> ids, std::string* text);
// Bytes that the text of one id takes at most.
inline constexpr size_t kIdBytes = 12;

// Gives standard output its buffer, so that writing takes no heap.
void PrepareOutput();

// Writes to standard output.
void WriteText(std::string_view text);

// What a text that a model wrote has in place of a line break, so that it stays
// on one line.
constexpr char OnOneLine(char c) { return c == '\n' || c == '\r' ? ' ' : c; }
std::string OnOneLine(std::string text);

// Writes such a text to standard output on one line.
void WriteOnOneLine(std::string_view text);

// Whether a person or another program may wait for each line. False if the
// input is a file and the output is no terminal.
bool FlushesLines();

// Returns whether all output was written, as EndLine does. With `flush`,
// flushes it if FlushesLines().
bool CheckText(bool flush);

// Ends a line of standard output and flushes it if FlushesLines(). If that
// fails, prints a sentence, unless the reader has gone, and returns false.
bool EndLine();

// Why a translation did not end by itself, for a warning.
const char* WhyItStopped(StopReason reason);

// Prints what is wrong with a line; returns kFailure.
int ComplainOfLine(unsigned long long line, const Status& status);

// Flushes standard output. `read_error`: errno of standard input, or 0. Returns
// the exit code and prints a sentence if it is not kSuccess.
int FinishLines(int read_error);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_LINES_H_
