#include "os/system.h"

#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cwchar>
#include <new>
#include <string>
#include <vector>

#include "base/windows_api.h"
// After the others.
#include <shellapi.h>

namespace latimer::cli {
namespace {

std::string Utf8(const wchar_t* text, size_t length) {
  if (length == 0) return "";
  const auto get = [&](char* out, int bytes) {
    return WideCharToMultiByte(CP_UTF8, 0, text, static_cast<int>(length), out,
                               bytes, nullptr, nullptr);
  };
  std::string utf8(static_cast<size_t>(get(nullptr, 0)), '\0');
  get(utf8.data(), static_cast<int>(utf8.size()));
  return utf8;
}

HANDLE HandleOf(int stream) {
  return reinterpret_cast<HANDLE>(_get_osfhandle(stream));
}

bool IsConsole(HANDLE handle) {
  DWORD mode = 0;
  return GetConsoleMode(handle, &mode) != 0;
}

// Whether this console is for UTF-8 is known to it even after this program has
// ended, so that is restored.
UINT output_code_page = 0;
void RestoreConsole() { SetConsoleOutputCP(output_code_page); }

void PrepareConsole() {
  for (const int stream : {1, 2}) {
    const HANDLE handle = HandleOf(stream);
    DWORD mode = 0;
    if (GetConsoleMode(handle, &mode) == 0) continue;
    // For the line that shows the progress.
    SetConsoleMode(handle, mode | ENABLE_PROCESSED_OUTPUT |
                               ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    if (output_code_page != 0) continue;
    output_code_page = GetConsoleOutputCP();
    SetConsoleOutputCP(CP_UTF8);
    std::atexit(RestoreConsole);
  }
}

// What was typed and not yet read.
std::string typed;

// The console's own conversion to UTF-8 loses what is not ASCII.
bool ReadConsoleLine() {
  wchar_t line[4096];
  DWORD length = 0;
  if (ReadConsoleW(HandleOf(0), line, 4096, &length, nullptr) == 0) {
    errno = EIO;
    return false;
  }
  // Ctrl-Z ends the input.
  const wchar_t* const end = std::wmemchr(line, L'\x1a', length);
  typed = Utf8(line, end == nullptr ? length : static_cast<size_t>(end - line));
  return true;
}

// Terminals and pipes have no identity.
bool Identify(HANDLE file, FileId* id) {
  BY_HANDLE_FILE_INFORMATION info = {};
  if (GetFileType(file) != FILE_TYPE_DISK ||
      GetFileInformationByHandle(file, &info) == 0) {
    return false;
  }
  id->device = info.dwVolumeSerialNumber;
  id->number = uint64_t{info.nFileIndexHigh} << 32 | info.nFileIndexLow;
  id->regular = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
  return true;
}

}  // namespace

char** PrepareProgram(int* argc, char** argv) {
  for (const int stream : {0, 1, 2}) _setmode(stream, _O_BINARY);
  PrepareConsole();
  wchar_t** const wide = CommandLineToArgvW(GetCommandLineW(), argc);
  if (wide == nullptr) return argv;
  static std::vector<std::string> words;
  static std::vector<char*> pointers;
  for (int i = 0; i < *argc; ++i) {
    words.push_back(Utf8(wide[i], std::wcslen(wide[i])));
  }
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  LocalFree(wide);
  return pointers.data();
}

int OpenFile(const char* path, OpenMode mode) {
  const WidePath wide(path);
  if (!wide.ok()) return -1;
  const int flags =
      mode == OpenMode::kWrite ? _O_WRONLY | _O_CREAT | _O_TRUNC : _O_RDONLY;
  return _wopen(wide.c_str(), flags | _O_BINARY | _O_NOINHERIT,
                _S_IREAD | _S_IWRITE);
}

std::FILE* OpenStream(const char* path, const char* mode) {
  const WidePath wide(path);
  const WidePath wide_mode(mode);
  if (!wide.ok() || !wide_mode.ok()) return nullptr;
  return _wfopen(wide.c_str(), wide_mode.c_str());
}

int StatFile(const char* path, struct stat* info) {
  const WidePath wide(path);
  return wide.ok() ? _wstat64(wide.c_str(), info) : -1;
}

bool IdentifyFile(const char* path, FileId* id) {
  const WidePath wide(path);
  if (!wide.ok()) return false;
  const HANDLE file = CreateFileW(
      wide.c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
      nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (file == INVALID_HANDLE_VALUE) return false;
  const bool known = Identify(file, id);
  CloseHandle(file);
  return known;
}

bool IdentifyStream(int stream, FileId* id) {
  return Identify(HandleOf(stream), id);
}

int CheckReadable(const char* path) {
  const WidePath wide(path);
  return wide.ok() ? _waccess(wide.c_str(), 4) : -1;
}

bool IsTerminal(int stream) { return IsConsole(HandleOf(stream)); }

bool IsInputReadable(bool wait) {
  const HANDLE input = HandleOf(0);
  if (wait) return true;
  // Whether a whole line was typed cannot be known.
  if (IsConsole(input)) return !typed.empty();
  DWORD bytes = 0;
  return GetFileType(input) != FILE_TYPE_PIPE ||
         PeekNamedPipe(input, nullptr, 0, nullptr, &bytes, nullptr) == 0 ||
         bytes > 0;
}

ssize_t ReadInput(char* to, size_t bytes) {
  if (!IsConsole(HandleOf(0))) {
    return _read(0, to, static_cast<unsigned>(bytes));
  }
  if (typed.empty() && !ReadConsoleLine()) return -1;
  const size_t count = typed.copy(to, bytes);
  typed.erase(0, count);
  return static_cast<ssize_t>(count);
}

ssize_t PeekInput(char* to, size_t bytes, off_t at) {
  const ssize_t count = _read(0, to, static_cast<unsigned>(bytes));
  return _lseeki64(0, at, SEEK_SET) == at ? count : -1;
}

void* AllocatePages(size_t bytes, bool) {
  void* const pages =
      VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (pages == nullptr) SetErrno();
  return pages;
}

void FreePages(void* pages, size_t) { VirtualFree(pages, 0, MEM_RELEASE); }

const void* MapPages(int file, size_t bytes) {
  const HANDLE mapping =
      CreateFileMappingW(HandleOf(file), nullptr, PAGE_READONLY, 0, 0, nullptr);
  const void* const pages =
      mapping == nullptr ? nullptr
                         : MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, bytes);
  if (pages == nullptr) SetErrno();
  if (mapping != nullptr) CloseHandle(mapping);  // The view keeps it.
  return pages;
}

bool SealPages(void* pages, size_t bytes) {
  DWORD before = 0;
  if (VirtualProtect(pages, bytes, PAGE_READONLY, &before) != 0) return true;
  SetErrno();
  return false;
}

}  // namespace latimer::cli
