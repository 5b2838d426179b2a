// What base/ has of an operating system, for a machine that has none: one
// thread, no file, and the functions of latimer/machine.h.
#include "base/check.h"
#include "base/clock.h"
#include "base/file_mapping.h"
#include "base/thread_pool.h"
#include "latimer/machine.h"

namespace latimer {

static_assert(kProfile.threads == 1,
              "A machine without an operating system has one thread: convert "
              "the model with --threads 1.");

void CheckFailed(const char* message) { latimer_machine_failed(message); }

uint64_t MonotonicNanoseconds() { return latimer_machine_nanoseconds(); }

Status MapPath(const char* path, std::span<const std::byte>*) {
  return Status::Error(StatusCode::kResourceUnavailable,
                       "%s: cannot map the model, because a machine without an "
                       "operating system has no files; link it into the "
                       "program.",
                       path);
}

void UnmapFile(std::span<const std::byte>) {}

Status ThreadPool::CheckCount(uint32_t thread_count) {
  if (thread_count == 1) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "%u threads requested, but a machine without an "
                       "operating system has 1.",
                       static_cast<unsigned>(thread_count));
}

Status ThreadPool::Start(uint32_t thread_count, bool) {
  return CheckCount(thread_count);
}

void ThreadPool::Stop() {}

void ThreadPool::Run(Task task, void* context) { task(context, 0, 1); }

}  // namespace latimer
