// What the converter needs on WASI.
#include "os/system.h"

namespace latimer::cli {

char** PrepareProgram(int*, char** argv) { return argv; }

std::FILE* OpenStream(const char* path, const char* mode) {
  return std::fopen(path, mode);
}

bool IdentifyFile(const char* path, FileId* id) {
  struct stat info;
  if (stat(path, &info) != 0) return false;
  *id = {info.st_dev, info.st_ino, S_ISREG(info.st_mode)};
  return true;
}

bool IdentifyStream(int, FileId*) { return false; }

}  // namespace latimer::cli
