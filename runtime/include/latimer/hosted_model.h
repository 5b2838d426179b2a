// A model for programs on an operating system: the file, mapped, a workspace of
// the size that it needs, from the heap, and a translator.
//
//   latimer::HostedModel model;
//   latimer::Status status = model.Open("en-de.ltm");
//   if (status.ok()) {
//     auto translation = model->Translate("How are you?");
//   }
//
// Or only the file:
//
//   latimer::MappedFile file;
//   latimer::Status status = file.Open("en-de.ltm");
//   if (status.ok()) status = translator.Load(file.bytes(), &workspace);
//
// Neither is in builds for bare metal. In C: latimer_open, latimer_map_file.
#ifndef LATIMER_HOSTED_MODEL_H_
#define LATIMER_HOSTED_MODEL_H_

#include <cstddef>
#include <span>
#include <utility>

#include "latimer/options.h"
#include "latimer/status.h"
#include "latimer/translator.h"

namespace latimer {

// A model file of any size, mapped read-only. It takes addresses, but no memory
// of its own: what is read stays in the system's cache, which all processes
// share and which the system may drop.
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

// A file, its workspace and its translator. It is no part of the core, which
// calls no allocator.
class HostedModel {
 public:
  HostedModel() = default;
  ~HostedModel() { Close(); }
  HostedModel(HostedModel&& other) noexcept
      : opened_(std::exchange(other.opened_, nullptr)) {}
  HostedModel& operator=(HostedModel&& other) noexcept {
    std::swap(opened_, other.opened_);
    return *this;
  }

  // Opens and verifies a model file, which MappedFile maps, and then closes the
  // one before; if it fails, that one stays open. Memory that no sentence needs
  // is reserved, but not touched. Errors: those of MappedFile::Open and
  // Translator::Load, and kResourceUnavailable if there is no memory for the
  // workspace, beside that of the model that is open.
  Status Open(const char* path, const LoadOptions& options = {});
  // Opens the model that `other` has open once more, for another thread: with a
  // workspace of its own over the same image. `other` must stay open longer.
  // The file is not searched for damage again. Errors: those of Open.
  Status OpenBeside(const HostedModel& other, const LoadOptions& options = {});
  void Close();
  bool is_open() const { return opened_ != nullptr; }

  // Precondition of these: is_open().
  Translator& translator();
  const Translator& translator() const;
  Translator* operator->() { return &translator(); }
  const Translator* operator->() const { return &translator(); }
  Translator& operator*() { return translator(); }
  // The model file.
  std::span<const std::byte> image() const;
  size_t workspace_bytes() const;

 private:
  struct Opened;  // Begins the block of memory that has the workspace, too.

  Status Load(std::span<const std::byte> image, bool owns_image,
              const LoadOptions& options);

  Opened* opened_ = nullptr;
};

}  // namespace latimer

#endif  // LATIMER_HOSTED_MODEL_H_
