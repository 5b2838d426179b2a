// What the programs ask of the operating system. system.cc is for POSIX,
// windows/system.cc for Windows; wasi/system.cc has what the converter needs.
// Paths are UTF-8. A function that fails sets errno.
#ifndef LATIMER_OS_SYSTEM_H_
#define LATIMER_OS_SYSTEM_H_

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace latimer::cli {

// The program's arguments in UTF-8, which end with a null and live as long as
// the program. Call it first: it also makes the standard streams binary and
// readies a console for UTF-8. `*argc` and `argv` are those of main().
char** PrepareProgram(int* argc, char** argv);

enum class OpenMode {
  kRead,
  kReadAtOnce,  // Does not wait for the writer of a FIFO.
  kWrite,       // A new or empty file.
};

// open(), fopen() and stat(). Programs that this one starts do not inherit
// the file.
int OpenFile(const char* path, OpenMode mode);
std::FILE* OpenStream(const char* path, const char* mode);
int StatFile(const char* path, struct stat* info);

// What all names of a file and all its descriptors have in common.
struct FileId {
  uint64_t device = 0, number = 0;
  bool regular = false;

  bool operator==(const FileId&) const = default;
};
// False if there is no such file or folder, or stream.
bool IdentifyFile(const char* path, FileId* id);
bool IdentifyStream(int stream, FileId* id);

#ifdef _WIN32
inline constexpr const char* kPathSeparators = "/\\:";
#else
inline constexpr const char* kPathSeparators = "/";
#endif

// access(path, R_OK).
int CheckReadable(const char* path);

// Whether that standard stream is a terminal.
bool IsTerminal(int stream);

// Whether reading standard input would not wait, or at the end of the input;
// with `wait` it waits for that. Input of which this is unknown counts as
// readable.
bool IsInputReadable(bool wait);

// read() from standard input.
ssize_t ReadInput(char* to, size_t bytes);
// The same from `at`, where it is, of a file; it stays there.
ssize_t PeekInput(char* to, size_t bytes, off_t at);

// Zeros, which take memory only where they are touched; null if there are no
// addresses. With `all`, all of it will be written: the system is asked for
// huge pages, and whether it has that much.
void* AllocatePages(size_t bytes, bool all);
void FreePages(void* pages, size_t bytes);

// Maps a file to be read, in huge pages if the system has them; null if it
// cannot.
const void* MapPages(int file, size_t bytes);

// Makes pages read-only. Returns whether it could.
bool SealPages(void* pages, size_t bytes);

}  // namespace latimer::cli

#endif  // LATIMER_OS_SYSTEM_H_
