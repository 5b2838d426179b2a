// What base/thread_pool.cc needs of Linux. Inline, so that a library with one
// thread refers to none of it.
#ifndef LATIMER_BASE_THREADS_LINUX_H_
#define LATIMER_BASE_THREADS_LINUX_H_

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <climits>
#include <cstdint>

#include "base/threads_posix.h"

namespace latimer {

// The kernel's futex; see futex(2). std::atomic's wait() would also do, but
// links the C++ library's exceptions.
inline void Futex(std::atomic<uint32_t>& value, int operation,
                  uint32_t argument) {
  static_assert(sizeof(value) == sizeof(uint32_t) &&
                std::atomic<uint32_t>::is_always_lock_free);
  (void)syscall(SYS_futex, &value, operation, argument, nullptr, nullptr, 0);
}

// Sleeps until WakeAll, or not at all, if `value` is no longer `old`. May wake
// without a reason.
inline void SleepWhile(std::atomic<uint32_t>& value, uint32_t old) {
  Futex(value, FUTEX_WAIT_PRIVATE, old);
}

inline void WakeAll(std::atomic<uint32_t>& value) {
  Futex(value, FUTEX_WAKE_PRIVATE, INT_MAX);
}

// As top -H and debuggers show it.
inline void NameThread(uintptr_t thread, uint32_t index) {
  char name[] = "latimer-00";
  name[8] = static_cast<char>('0' + index / 10 % 10);
  name[9] = static_cast<char>('0' + index % 10);
  (void)pthread_setname_np(std::bit_cast<pthread_t>(thread), name);
}

// The processors that the calling thread may use.
class Processors {
 public:
  Processors() {
    CPU_ZERO(&allowed_);
    (void)sched_getaffinity(0, sizeof(allowed_), &allowed_);
  }

  // Binds `thread` to the index-th of them after the caller's. A refusal costs
  // speed, not correctness.
  void Bind(uintptr_t thread, uint32_t index) const {
    const int count = CPU_COUNT(&allowed_);
    const int callers = sched_getcpu();
    if (count == 0 || callers < 0) return;
    int skip = static_cast<int>(index) % count;
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      const int cpu = (callers + i) % CPU_SETSIZE;
      if (!CPU_ISSET(cpu, &allowed_) || skip-- > 0) continue;
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      const auto handle = std::bit_cast<pthread_t>(thread);
#ifdef __BIONIC__  // It has no pthread_setaffinity_np before API level 36.
      (void)sched_setaffinity(pthread_gettid_np(handle), sizeof(one), &one);
#else
      (void)pthread_setaffinity_np(handle, sizeof(one), &one);
#endif
      return;
    }
  }

 private:
  cpu_set_t allowed_;
};

}  // namespace latimer

#endif  // LATIMER_BASE_THREADS_LINUX_H_
