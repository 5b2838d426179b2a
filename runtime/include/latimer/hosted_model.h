// A model for programs on an operating system: the file, mapped, a workspace of
// the size that it needs, from the heap, and a translator.
//
//   latimer::HostedModel model;
//   latimer::Status status = model.Open("en-de.ltm");
//   if (status.ok()) {
//     auto translation = model->Translate("How are you?");
//   }
//
// It is no part of the core, which calls no allocator, and not in builds for
// bare metal. In C: latimer_open.
#ifndef LATIMER_HOSTED_MODEL_H_
#define LATIMER_HOSTED_MODEL_H_

#include <cstddef>
#include <span>
#include <utility>

#include "latimer/load_options.h"
#include "latimer/status.h"
#include "latimer/translator.h"

namespace latimer {

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

  // Opens and verifies a model file, which MappedFile maps, and closes the one
  // before. Memory that no sentence needs is reserved, but not touched. Errors:
  // those of MappedFile::Open and Translator::Load, and kResourceUnavailable if
  // there is no memory for the workspace; then nothing is open.
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
