// A model file of any size, mapped read-only.
//
//   latimer::MappedFile file;
//   latimer::Status status = file.Open("model.ltm");
//   if (status.ok()) status = translator.Load(file.bytes(), &workspace);
//
// It takes addresses, but no memory of its own: what is read stays in the
// system's cache, which all processes share and which the system may drop.
#ifndef LATIMER_MAPPED_FILE_H_
#define LATIMER_MAPPED_FILE_H_

#include <cstddef>
#include <span>

#include "latimer/status.h"

namespace latimer {

class MappedFile {
 public:
  MappedFile() = default;
  // Unmaps the file: a translator that was loaded from it must be gone.
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Maps a regular file, which is closed again, and unmaps the one before. Do
  // not write to the file while it is mapped, and do not shorten it: the system
  // would end the process. To install a new model, rename its file to this
  // name. kResourceUnavailable, with the path in the message, if there is no
  // such file, it may not be read, it is empty or not a regular file (a folder,
  // a pipe, a device), or there are no addresses for it; kInvalidArgument if
  // the path is null.
  Status Open(const char* path);

  // The file, aligned to a page; empty before Open has succeeded.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace latimer

#endif  // LATIMER_MAPPED_FILE_H_
