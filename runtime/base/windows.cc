// What base/ has of Windows: the clock and mapped files. Threads are in
// threads_windows.h.
#include "base/check.h"
#include "base/clock.h"
#include "base/file_mapping.h"
#include "base/windows_api.h"

namespace latimer {
namespace {

// FormatMessage may allocate.
Status Refused(const char* path, DWORD error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_DIRECTORY:
      return NotMapped(path, kNoSuchFile);
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
      return NotMapped(path, kMayNotBeRead);
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_COMMITMENT_LIMIT:
      return NotMapped(path, kNoAddresses);
    case ERROR_TOO_MANY_OPEN_FILES:
      return NotMapped(path, kTooManyFiles);
    default:
      return NotMapped(path, uint64_t{error});
  }
}

Status Map(const char* path, HANDLE file, std::span<const std::byte>* bytes) {
  if (GetFileType(file) != FILE_TYPE_DISK) {
    return NotMapped(path, kNotARegularFile);
  }
  LARGE_INTEGER size;
  if (!GetFileSizeEx(file, &size)) return Refused(path, GetLastError());
  if (size.QuadPart == 0) return NotMapped(path, kIsEmpty);
  const HANDLE mapping =
      CreateFileMappingW(file, nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (mapping == nullptr) return Refused(path, GetLastError());
  const void* const address = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
  const DWORD error = GetLastError();
  CloseHandle(mapping);  // The view keeps it.
  if (address == nullptr) return Refused(path, error);
  *bytes = {static_cast<const std::byte*>(address),
            static_cast<size_t>(size.QuadPart)};
  return Status();
}

}  // namespace

uint64_t MonotonicNanoseconds() {
  LARGE_INTEGER count, frequency;
  QueryPerformanceCounter(&count);
  QueryPerformanceFrequency(&frequency);
  constexpr uint64_t kSecond = 1'000'000'000;
  const auto ticks = static_cast<uint64_t>(count.QuadPart);
  const auto per_second = static_cast<uint64_t>(frequency.QuadPart);
  return ticks / per_second * kSecond +
         ticks % per_second * kSecond / per_second;
}

// The path is UTF-8, as everywhere.
Status MapPath(const char* path, std::span<const std::byte>* bytes) {
  wchar_t wide[MAX_PATH];
  if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide,
                          MAX_PATH) == 0) {
    return NotMapped(path, GetLastError() == ERROR_INSUFFICIENT_BUFFER
                               ? "its path is too long"
                               : "its path is not UTF-8");
  }
  const DWORD attributes = GetFileAttributesW(wide);
  if (attributes == INVALID_FILE_ATTRIBUTES) {
    return Refused(path, GetLastError());
  }
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
    return NotMapped(path, kIsAFolder);
  }
  const HANDLE file =
      CreateFileW(wide, GENERIC_READ,
                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                  nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) return Refused(path, GetLastError());
  const Status status = Map(path, file, bytes);
  CloseHandle(file);
  return status;
}

void UnmapFile(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  LATIMER_CHECK(UnmapViewOfFile(bytes.data()));
}

}  // namespace latimer
