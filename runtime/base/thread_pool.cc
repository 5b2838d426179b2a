#include "base/thread_pool.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "base/check.h"
#include "latimer/memory.h"

namespace latimer {
namespace {

// About 20 µs: longer than the pauses between the layers of a decoder step,
// shorter than anyone notices on a battery.
constexpr int kSpins = 4000;

void Relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

// The kernel's futex: std::atomic's wait() would do, but drags in the C++
// library's exceptions. See futex(2).
void Futex(std::atomic<uint32_t>& value, int operation, uint32_t argument) {
  static_assert(sizeof(value) == sizeof(uint32_t) &&
                std::atomic<uint32_t>::is_always_lock_free);
  (void)syscall(SYS_futex, &value, operation, argument, nullptr, nullptr, 0);
}

// Binds `thread` to the index-th processor of `allowed`, modulo their number.
[[maybe_unused]] void Pin(pthread_t thread, const cpu_set_t& allowed,
                          uint32_t index) {
  const int count = CPU_COUNT(&allowed);
  if (count == 0) return;
  int skip = static_cast<int>(index) % count;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || skip-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    // A refusal costs speed, not correctness.
    (void)pthread_setaffinity_np(thread, sizeof(one), &one);
    return;
  }
}

// Starts a thread whose stack is no larger than the memory plan says.
[[maybe_unused]] bool Create(pthread_t* thread, void* (*main)(void*),
                             void* context) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  const bool created =
      pthread_attr_setstacksize(&attributes, kWorkerStackBytes) == 0 &&
      pthread_create(thread, &attributes, main, context) == 0;
  (void)pthread_attr_destroy(&attributes);
  return created;
}

}  // namespace

void ThreadPool::WaitForChange(std::atomic<uint32_t>& value, uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    Relax();
  }
  // Sequentially consistent, like the waker's: either it sees the sleeper or
  // the kernel sees the new value.
  sleepers_.fetch_add(1);
  while (value.load() == old) Futex(value, FUTEX_WAIT_PRIVATE, old);
  sleepers_.fetch_sub(1);
}

void ThreadPool::WakeSleepers(std::atomic<uint32_t>& value) {
  if (sleepers_.load() > 0) Futex(value, FUTEX_WAKE_PRIVATE, INT_MAX);
}

Status ThreadPool::Start(uint32_t thread_count, bool pin) {
  Stop();
  if (thread_count == 0 || thread_count > kProfile.threads) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%u threads asked for, but profile \"%s\" of this "
                         "build allows 1 to %u.",
                         static_cast<unsigned>(thread_count), kProfile.name,
                         static_cast<unsigned>(kProfile.threads));
  }
  if constexpr (kProfile.threads > 1) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (pin) (void)sched_getaffinity(0, sizeof(allowed), &allowed);
    for (uint32_t i = 1; i < thread_count; ++i) {
      if (!Create(&workers_[i], &WorkerMain, this)) {
        Stop();
        return Status::Error(StatusCode::kResourceUnavailable,
                             "The system refused thread %u of %u; use fewer "
                             "threads.",
                             static_cast<unsigned>(i + 1),
                             static_cast<unsigned>(thread_count));
      }
      thread_count_ = i + 1;
      if (pin) Pin(workers_[i], allowed, i);
    }
    if (pin && thread_count > 1) Pin(pthread_self(), allowed, 0);
  }
  return Status();
}

void ThreadPool::Stop() {
  if constexpr (kProfile.threads > 1) {
    if (thread_count_ == 1) return;
    stopping_.store(true);
    NextTask(0);
    WakeSleepers(ticket_);
    for (uint32_t i = 1; i < thread_count_; ++i) {
      pthread_join(workers_[i], nullptr);
    }
    stopping_.store(false);
    thread_count_ = 1;
  }
}

void ThreadPool::Run(Task task, void* context) {
  if constexpr (kProfile.threads > 1) {
    if (thread_count_ > 1) {
      // Nobody reads these: all parts of the last task are done.
      task_ = task;
      context_ = context;
      parts_ = thread_count_;
      done_.store(0, std::memory_order_relaxed);
      NextTask(parts_);
      WakeSleepers(ticket_);
      TakeParts();
      for (uint32_t done;
           (done = done_.load(std::memory_order_acquire)) < parts_;) {
        WaitForChange(done_, done);
      }
      return;
    }
  }
  task(context, 0, 1);
}

void ThreadPool::NextTask(uint32_t parts) {
  ticket_.store((ticket_.load(std::memory_order_relaxed) | kPartMask) + 1 +
                parts);
}

void ThreadPool::TakeParts() {
  uint32_t ticket = ticket_.load(std::memory_order_acquire);
  while ((ticket & kPartMask) > 0) {
    if (!ticket_.compare_exchange_weak(ticket, ticket - 1,
                                       std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
      continue;
    }
    const uint32_t parts = parts_;
    task_(context_, (ticket & kPartMask) - 1, parts);
    if (done_.fetch_add(1) + 1 == parts) WakeSleepers(done_);
    ticket = ticket_.load(std::memory_order_acquire);
  }
}

void* ThreadPool::WorkerMain(void* pool) {
  static_cast<ThreadPool*>(pool)->Work();
  return nullptr;
}

void ThreadPool::Work() {
  for (;;) {
    TakeParts();
    // The ticket first: Stop changes it last, so one from after Stop is never
    // slept on.
    const uint32_t ticket = ticket_.load(std::memory_order_acquire);
    if (stopping_.load(std::memory_order_acquire)) return;
    if ((ticket & kPartMask) == 0) WaitForChange(ticket_, ticket);
  }
}

}  // namespace latimer
