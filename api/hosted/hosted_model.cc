#include "latimer/hosted_model.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/file_mapping.h"
#include "latimer/plan.h"

namespace latimer {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

Status NoMemory(size_t bytes) {
  return Status::Error(StatusCode::kResourceUnavailable,
                       "There are no %zu bytes of memory for the model.",
                       bytes);
}

// The bytes of a workspace for the model in a file.
Status PlanFor(std::span<const std::byte> image, const LoadOptions& options,
               size_t* bytes) {
  const std::unique_ptr<void, Free> memory(
      std::malloc(sizeof(InfoScratch) + alignof(InfoScratch)));
  if (memory == nullptr) return NoMemory(sizeof(InfoScratch));
  void* aligned = memory.get();
  size_t room = sizeof(InfoScratch) + alignof(InfoScratch);
  std::align(alignof(InfoScratch), sizeof(InfoScratch), aligned, room);
  const Result<WorkspacePlan> plan =
      PlanWorkspace(image, options, new (aligned) InfoScratch);
  if (!plan.ok()) return plan.status();
  *bytes = static_cast<size_t>(plan->roomy_bytes);
  return Status();
}

}  // namespace

// The workspace follows.
struct alignas(Workspace) HostedModel::Opened {
  void* memory;  // To free; this object begins in it.
  std::span<const std::byte> image;
  bool owns_image;
  size_t workspace_bytes;
  Translator translator;

  std::span<std::byte> workspace() {
    return {reinterpret_cast<std::byte*>(this + 1), workspace_bytes};
  }
};

Status HostedModel::Open(const char* path, const LoadOptions& options) {
  std::span<const std::byte> image;
  LATIMER_RETURN_IF_ERROR(MapFile(path, &image));
  HostedModel opened;
  const Status status = opened.Load(image, /*owns_image=*/true, options);
  if (status.ok()) {
    std::swap(opened_, opened.opened_);
  } else {
    UnmapFile(image);
  }
  return status;
}

Status HostedModel::OpenBeside(const HostedModel& other,
                               const LoadOptions& options) {
  LoadOptions checked = options;
  checked.verify_checksum = false;
  HostedModel opened;
  const Status status =
      opened.Load(other.image(), /*owns_image=*/false, checked);
  if (status.ok()) std::swap(opened_, opened.opened_);
  return status;
}

Status HostedModel::Load(std::span<const std::byte> image, bool owns_image,
                         const LoadOptions& options) {
  size_t workspace_bytes = 0;
  Status status = PlanFor(image, options, &workspace_bytes);
  size_t room = sizeof(Opened) + workspace_bytes + alignof(Opened);
  void* const memory = status.ok() ? std::malloc(room) : nullptr;
  if (memory == nullptr) return status.ok() ? NoMemory(room) : status;
  void* aligned = memory;
  std::align(alignof(Opened), sizeof(Opened) + workspace_bytes, aligned, room);
  opened_ = new (aligned)
      Opened{memory, image, /*owns_image=*/false, workspace_bytes, {}};
  status = opened_->translator.Load(image, opened_->workspace(), options);
  if (status.ok()) {
    opened_->owns_image = owns_image;
  } else {
    Close();
  }
  return status;
}

void HostedModel::Close() {
  if (opened_ == nullptr) return;
  void* const memory = opened_->memory;
  const std::span<const std::byte> image = opened_->image;
  const bool owns_image = opened_->owns_image;
  opened_->~Opened();
  std::free(memory);
  if (owns_image) UnmapFile(image);
  opened_ = nullptr;
}

Translator& HostedModel::translator() { return opened_->translator; }
const Translator& HostedModel::translator() const {
  return opened_->translator;
}

std::span<const std::byte> HostedModel::image() const { return opened_->image; }

size_t HostedModel::workspace_bytes() const { return opened_->workspace_bytes; }

}  // namespace latimer
