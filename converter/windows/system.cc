#include "converter/system.h"

#include <fcntl.h>
#include <io.h>

#include "base/windows_api.h"

namespace latimer {
namespace {

HANDLE HandleOf(int file) {
  return reinterpret_cast<HANDLE>(_get_osfhandle(file));
}

int DescriptorOf(HANDLE file) {
  if (file != INVALID_HANDLE_VALUE) {
    return _open_osfhandle(reinterpret_cast<intptr_t>(file),
                           _O_BINARY | _O_NOINHERIT);
  }
  SetErrno();
  return -1;
}

}  // namespace

int OpenToRead(const std::filesystem::path& path) {
  return DescriptorOf(
      CreateFileW(path.c_str(), GENERIC_READ,
                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                  nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr));
}

// An open file is its own lock. It may be renamed.
int CreateLocked(const std::filesystem::path& path) {
  return DescriptorOf(CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE,
                                  FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                                  CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
}

void RemoveIfLeftBehind(const std::filesystem::path& path) {
  // Fails if somebody has it open.
  const HANDLE file = CreateFileW(
      path.c_str(), DELETE, 0, nullptr, OPEN_EXISTING,
      FILE_FLAG_DELETE_ON_CLOSE | FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
  if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
}

int AllocateFile(int file, uint64_t bytes) {
  LARGE_INTEGER size;
  size.QuadPart = static_cast<LONGLONG>(bytes);
  if (SetFilePointerEx(HandleOf(file), size, nullptr, FILE_BEGIN) &&
      SetEndOfFile(HandleOf(file))) {
    return 0;
  }
  SetErrno();
  return errno;
}

bool SyncFile(int file) {
  if (FlushFileBuffers(HandleOf(file))) return true;
  SetErrno();
  return false;
}

void SyncFolder(const std::filesystem::path&) {}  // Windows cannot.

std::byte* MapBytes(int file, size_t bytes, bool write) {
  const HANDLE mapping =
      CreateFileMappingW(HandleOf(file), nullptr,
                         write ? PAGE_READWRITE : PAGE_READONLY, 0, 0, nullptr);
  void* const address =
      mapping == nullptr
          ? nullptr
          : MapViewOfFile(mapping, write ? FILE_MAP_WRITE : FILE_MAP_READ, 0, 0,
                          bytes);
  if (address == nullptr) SetErrno();
  if (mapping != nullptr) CloseHandle(mapping);  // The view keeps it.
  return static_cast<std::byte*>(address);
}

void UnmapBytes(const std::byte* bytes, size_t) { UnmapViewOfFile(bytes); }

// Of pages that are not locked, this makes them leave the working set.
void ForgetPages(const std::byte* bytes, size_t size) {
  (void)VirtualUnlock(const_cast<std::byte*>(bytes), size);
}

}  // namespace latimer
