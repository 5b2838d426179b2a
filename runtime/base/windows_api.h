// <windows.h>, without what nobody uses, of Windows 8 and newer; and what we
// need to call it: UTF-16 and errno.
#ifndef LATIMER_BASE_WINDOWS_API_H_
#define LATIMER_BASE_WINDOWS_API_H_

#include <cerrno>

#ifndef NOMINMAX  // Which some C++ libraries define.
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0602
#include <windows.h>

namespace latimer {

// Sets errno to what the system's last error is called in C.
inline void SetErrno() {
  switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_NO_UNICODE_TRANSLATION:
      errno = ENOENT;
      break;
    case ERROR_INSUFFICIENT_BUFFER:
    case ERROR_FILENAME_EXCED_RANGE:
      errno = ENAMETOOLONG;
      break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_USER_MAPPED_FILE:
      errno = EACCES;
      break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      errno = EEXIST;
      break;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_COMMITMENT_LIMIT:
      errno = ENOMEM;
      break;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      errno = ENOSPC;
      break;
    case ERROR_TOO_MANY_OPEN_FILES:
      errno = EMFILE;
      break;
    default:
      errno = EIO;
      break;
  }
}

// A path of UTF-8 in UTF-16. If it is no UTF-8 or too long for Windows, it is
// not ok, and errno is set.
class WidePath {
 public:
  explicit WidePath(const char* path) {
    ok_ = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, text_,
                              MAX_PATH) != 0;
    if (!ok_) SetErrno();
  }

  bool ok() const { return ok_; }
  const wchar_t* c_str() const { return text_; }

 private:
  wchar_t text_[MAX_PATH];
  bool ok_;
};

}  // namespace latimer

#endif  // LATIMER_BASE_WINDOWS_API_H_
