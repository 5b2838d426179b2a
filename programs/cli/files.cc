#include "cli/files.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "os/system.h"

namespace latimer::cli {
namespace {

const char* output_name = "standard output";
// Standard input before a file took its place, if "-" comes among files.
int original_input = -1;

int Fail(const char* path, const char* what, int error) {
  std::fprintf(stderr, "latimer: %s: cannot %s (%s).\n", path, what,
               std::strerror(error));
  return kFailure;
}

// Replaces a standard stream; returns errno, or 0.
int Replace(int stream, const char* path, OpenMode mode) {
  const int file = OpenFile(path, mode);
  if (file < 0) return errno;
  struct stat info;
  int error = 0;
  if (fstat(file, &info) == 0 && S_ISDIR(info.st_mode)) {
    error = EISDIR;
  } else if (dup2(file, stream) < 0) {
    error = errno;
  }
  close(file);
  return error;
}

bool EndsWith(std::string_view path, std::string_view extension) {
  return path.size() > extension.size() &&
         std::ranges::equal(
             path.substr(path.size() - extension.size()), extension, {},
             [](char c) {
               return std::tolower(static_cast<unsigned char>(c));
             });
}

// Warns of what is more than text.
void WarnOfFormat(const Arguments& arguments, const char* path) {
  const char* warning = nullptr;
  if (EndsWith(path, ".srt") || EndsWith(path, ".vtt")) {
    warning = "times are translated as text; latimer-serve keeps them";
  } else if (!arguments.html &&
             (EndsWith(path, ".html") || EndsWith(path, ".htm"))) {
    warning = "without --html, tags are translated as text";
  }
  for (const char* document : {".docx", ".pptx", ".odt", ".odp", ".epub"}) {
    if (EndsWith(path, document)) {
      warning =
          "this is no text; latimer document, of the Python package, "
          "translates it";
    }
  }
  if (warning == nullptr || arguments.quiet ||
      std::strcmp(arguments.command, "translate") != 0) {
    return;
  }
  std::fprintf(stderr, "latimer: warning: %s: %s.\n", path, warning);
}

}  // namespace

const char* OutputName() { return output_name; }

bool IsStandardStream(const char* path) { return std::strcmp(path, "-") == 0; }

bool IsModelFile(const char* path) {
  // Reading from anything else could take what is to be translated.
  struct stat info;
  if (StatFile(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
  std::FILE* const file = OpenStream(path, "rb");
  if (file == nullptr) return false;
  char begin[8] = {};  // The identifier follows the offset of the root table.
  const size_t bytes = std::fread(begin, 1, sizeof(begin), file);
  std::fclose(file);
  return bytes == sizeof(begin) && std::memcmp(begin + 4, "LTMR", 4) == 0;
}

int ReadInsteadOfStandardInput(const char* path) {
  if (IsStandardStream(path)) {
    return dup2(original_input, STDIN_FILENO) < 0 ? errno : 0;
  }
  return Replace(STDIN_FILENO, path, OpenMode::kRead);
}

uint64_t BytesToRead(const Arguments& arguments) {
  if (arguments.text != nullptr) return 0;
  struct stat info;
  if (arguments.files.empty()) {
    const off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    const bool readable = at >= 0 && fstat(STDIN_FILENO, &info) == 0 &&
                          S_ISREG(info.st_mode) && info.st_size > at;
    return readable ? static_cast<uint64_t>(info.st_size - at) : 0;
  }
  uint64_t bytes = 0;
  for (const char* path : arguments.files) {
    if (IsStandardStream(path) || StatFile(path, &info) != 0 ||
        !S_ISREG(info.st_mode)) {
      return 0;
    }
    bytes += static_cast<uint64_t>(info.st_size);
  }
  return bytes;
}

int OpenInputFiles(const Arguments& arguments) {
  if (arguments.text != nullptr && !arguments.files.empty()) {
    return UsageError(arguments.command, "give --text or %s, not both.",
                      arguments.files.front());
  }
  for (const char* path : arguments.files) {
    if (IsStandardStream(path)) {
      if (original_input < 0) original_input = dup(STDIN_FILENO);
    } else if (CheckReadable(path) != 0) {
      return Fail(path, "read the file", errno);
    }
    WarnOfFormat(arguments, path);
  }
  if (!arguments.files.empty()) {
    const char* const first = arguments.files.front();
    const int error = ReadInsteadOfStandardInput(first);
    if (error != 0) return Fail(first, "read the file", error);
  }
  if (arguments.text == nullptr && IsTerminal(STDIN_FILENO) &&
      IsTerminal(STDERR_FILENO)) {
    std::fputs(std::strcmp(arguments.command, "transcribe") == 0
                   ? "latimer: reading a WAV from the terminal; name a file, "
                     "or pipe one in.\n"
                   : "latimer: type a line and press Enter; Ctrl-D ends.\n",
               stderr);
  }
  return kSuccess;
}

int OpenOutput(const Arguments& arguments) {
  if (arguments.output == nullptr) return kSuccess;
  const int error = Replace(STDOUT_FILENO, arguments.output, OpenMode::kWrite);
  if (error != 0) return Fail(arguments.output, "write the file", error);
  output_name = arguments.output;
  return kSuccess;
}

}  // namespace latimer::cli
