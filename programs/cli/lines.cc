#include "cli/lines.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/progress.h"
#include "os/system.h"

namespace latimer::cli {
namespace {

// Reports the failure, unless nobody reads any more.
int FailToWrite() {
  HideProgress();
  if (errno != EPIPE) {
    std::fprintf(stderr, "latimer: cannot write to %s (%s).\n", OutputName(),
                 std::strerror(errno));
  }
  return kFailure;
}

}  // namespace

void WriteText(std::string_view text) {
  if (!text.empty()) std::fwrite(text.data(), 1, text.size(), stdout);
}

std::string OnOneLine(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return OnOneLine(c); });
  return text;
}

void WriteOnOneLine(std::string_view text) {
  for (const char c : text) std::fputc(OnOneLine(c), stdout);
}

bool FlushesLines() {
  static const bool flushes = [] {
    struct stat info;
    return fstat(0, &info) != 0 || !S_ISREG(info.st_mode) || IsTerminal(1);
  }();
  return flushes;
}

void PrepareOutput() {
  static char buffer[4096];
  std::setvbuf(stdout, buffer, IsTerminal(1) ? _IOLBF : _IOFBF, sizeof(buffer));
}

bool CheckText(bool flush) {
  if (std::ferror(stdout) == 0 &&
      (!flush || !FlushesLines() || std::fflush(stdout) == 0)) {
    return true;
  }
  FailToWrite();
  return false;
}

bool EndLine() {
  std::fputc('\n', stdout);
  return CheckText(/*flush=*/true);
}

int FinishLines(int read_error) {
  if (read_error != 0) {
    HideProgress();
    std::fprintf(stderr, "latimer: cannot read standard input (%s).\n",
                 std::strerror(read_error));
    return kFailure;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return FailToWrite();
  }
  return kSuccess;
}

int ComplainOfLine(unsigned long long line, const Status& status) {
  std::fflush(stdout);
  HideProgress();
  std::fprintf(stderr, "latimer: line %llu: %s\n", line, status.message());
  return kFailure;
}

Status ParseIds(std::string_view line, std::vector<int32_t>* ids) {
  constexpr std::string_view kSpaces = " \t\r";
  ids->clear();
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(kSpaces), line.size()));
    if (line.empty()) return Status();
    const std::string_view word = line.substr(0, line.find_first_of(kSpaces));
    const char* const end = word.data() + word.size();
    int32_t id = 0;
    const auto [at, error] =
        std::from_chars(word.data() + (word[0] == '+' ? 1 : 0), end, id);
    if (at != end || error != std::errc()) {
      return Status::Error(
          StatusCode::kInvalidArgument, "\"%.*s\" is no token id.",
          static_cast<int>(std::min<size_t>(20, line.size())), line.data());
    }
    ids->push_back(id);
    line.remove_prefix(word.size());
  }
}

void FormatIds(std::span<const int32_t> ids, std::string* text) {
  text->clear();
  for (const int32_t id : ids) {
    char digits[kIdBytes];
    char* const end = std::to_chars(digits, digits + sizeof(digits), id).ptr;
    if (!text->empty()) *text += ' ';
    text->append(digits, end);
  }
}

const char* WhyItStopped(StopReason reason) {
  switch (reason) {
    case StopReason::kEos:
      break;
    case StopReason::kLengthLimit:
      return "the length limit cut the translation";
    case StopReason::kLoop:
      return "the translation repeated itself without end and was cut after "
             "the first time (--no-guards keeps all)";
    case StopReason::kBudget:
      return "--budget-tokens or --budget-ms cut the translation";
    case StopReason::kCancelled:
      return "the translation was cancelled";
  }
  return "";
}

}  // namespace latimer::cli
