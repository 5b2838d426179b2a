// What base/thread_pool.cc needs of Windows; the same as threads_linux.h.
#ifndef LATIMER_BASE_THREADS_WINDOWS_H_
#define LATIMER_BASE_THREADS_WINDOWS_H_

#include <atomic>
#include <bit>
#include <cstdint>

#include "base/windows_api.h"
#include "latimer/internal/memory_plan.h"

namespace latimer {

template <void* (*kMain)(void*)>
bool StartThread(uintptr_t* thread, void* context) {
  const auto main = [](void* argument) -> DWORD {
    kMain(argument);
    return 0;
  };
  const HANDLE created =
      CreateThread(nullptr, kWorkerStackBytes, main, context,
                   STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  *thread = std::bit_cast<uintptr_t>(created);
  return created != nullptr;
}

inline void JoinThread(uintptr_t thread) {
  WaitForSingleObject(std::bit_cast<HANDLE>(thread), INFINITE);
  CloseHandle(std::bit_cast<HANDLE>(thread));
}

inline void NameThread(uintptr_t, uint32_t) {}

inline void SleepWhile(std::atomic<uint32_t>& value, uint32_t old) {
  static_assert(sizeof(value) == sizeof(old) &&
                std::atomic<uint32_t>::is_always_lock_free);
  (void)WaitOnAddress(&value, &old, sizeof(old), INFINITE);
}

inline void WakeAll(std::atomic<uint32_t>& value) { WakeByAddressAll(&value); }

// Of the group of at most 64 processors that the process runs in.
class Processors {
 public:
  Processors() {
    DWORD_PTR all = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &allowed_, &all)) {
      allowed_ = 0;
    }
  }

  void Bind(uintptr_t thread, uint32_t index) const {
    if (allowed_ == 0) return;
    constexpr uint32_t kMost = 64;
    const uint32_t callers = GetCurrentProcessorNumber() % kMost;
    uint32_t skip = index % static_cast<uint32_t>(std::popcount(allowed_));
    for (uint32_t i = 0; i < kMost; ++i) {
      const DWORD_PTR one = DWORD_PTR{1} << (callers + i) % kMost;
      if ((allowed_ & one) == 0 || skip-- > 0) continue;
      (void)SetThreadAffinityMask(std::bit_cast<HANDLE>(thread), one);
      return;
    }
  }

 private:
  DWORD_PTR allowed_ = 0;
};

}  // namespace latimer

#endif  // LATIMER_BASE_THREADS_WINDOWS_H_
