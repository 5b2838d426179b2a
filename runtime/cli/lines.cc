#include "cli/lines.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/arguments.h"

namespace latimer::cli {
namespace {

// Reports the failure, unless nobody reads any more.
int FailToWrite() {
  if (errno != EPIPE) {
    std::fprintf(stderr, "latimer: cannot write to standard output (%s).\n",
                 std::strerror(errno));
  }
  return kFailure;
}

}  // namespace

void WriteText(std::string_view text) {
  if (!text.empty()) std::fwrite(text.data(), 1, text.size(), stdout);
}

bool FlushesLines() {
  static const bool flushes = [] {
    struct stat info;
    return fstat(STDIN_FILENO, &info) != 0 || !S_ISREG(info.st_mode);
  }();
  return flushes;
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
  std::fprintf(stderr, "latimer: line %llu: %s\n", line, status.message());
  return kFailure;
}

Status ParseIds(std::string_view line, std::vector<int32_t>* ids) {
  ids->clear();
  const std::string text(line);
  const char* at = text.c_str();
  const char* const end = at + text.size();
  for (;;) {
    while (*at == ' ' || *at == '\t' || *at == '\r') ++at;
    if (at == end) return Status();
    char* next = nullptr;
    errno = 0;
    const long long id = std::strtoll(at, &next, 10);
    const bool whole =
        next == end || *next == ' ' || *next == '\t' || *next == '\r';
    if (next == at || !whole || errno != 0 || id < INT32_MIN ||
        id > INT32_MAX) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "\"%.20s\" is no token id.", at);
    }
    ids->push_back(static_cast<int32_t>(id));
    at = next;
  }
}

std::string FormatIds(std::span<const int32_t> ids) {
  std::string text;
  for (const int32_t id : ids) {
    if (!text.empty()) text += ' ';
    text += std::to_string(id);
  }
  return text;
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
      return "--max-tokens or --max-ms cut the translation";
    case StopReason::kCancelled:
      return "the translation was cancelled";
  }
  return "";
}

}  // namespace latimer::cli
