// Which files a command reads and writes, so that what it writes never replaces
// what it reads, under whatever name.
#ifndef LATIMER_OS_USED_FILES_H_
#define LATIMER_OS_USED_FILES_H_

#include <span>
#include <string>

namespace latimer::cli {

// A file that is about to be read or written.
struct UsedFile {
  const char* path = nullptr;  // UTF-8; null: the stream.
  std::string by = {};         // The option, "--terms"; empty: an argument.
  bool written = false;
  int stream = -1;  // 0 or 1: standard input or output.
};

// The sentence, without its full stop, that refuses a command which would write
// a file that it also reads, or write it twice; empty if there is none. Links
// and other names lead to the same file; files that are not regular, such as
// terminals and pipes, may be used twice. Call it before any of them is opened.
std::string RefuseToOverwrite(std::span<const UsedFile> files);

}  // namespace latimer::cli

#endif  // LATIMER_OS_USED_FILES_H_
