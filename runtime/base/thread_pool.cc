#include "base/thread_pool.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>

#include "base/check.h"
#include "latimer/memory.h"

namespace latimer {
namespace {

// About 20 µs: longer than the pauses between the layers of a decoder step,
// shorter than anyone notices on a battery.
constexpr int kSpins = 4000;

// Less than a microsecond: workers that are this late have gained time.
constexpr int kShortSpins = 40;

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

[[maybe_unused]] int64_t Now() {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Binds `thread` to the index-th processor of `allowed` after the caller's.
[[maybe_unused]] void Pin(pthread_t thread, const cpu_set_t& allowed,
                          uint32_t index) {
  const int count = CPU_COUNT(&allowed);
  const int callers = sched_getcpu();
  if (count == 0 || callers < 0) return;
  int skip = static_cast<int>(index) % count;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    const int cpu = (callers + i) % CPU_SETSIZE;
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

bool ThreadPool::SpinForChange(const std::atomic<uint32_t>& value, uint32_t old,
                               int spins) {
  for (int i = 0; i < spins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return true;
    Relax();
  }
  return false;
}

void ThreadPool::SleepUntilChange(std::atomic<uint32_t>& value, uint32_t old) {
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
  credit_ = kMostCredit;
  alone_until_ = 0;
  unhelped_ = 0;
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
      if (alone_until_ != 0) {
        if (Now() < alone_until_) return RunAlone(task, context);
        alone_until_ = 0;
      }
      // Nobody reads these: all parts of the last task are done.
      task_ = task;
      context_ = context;
      parts_ = thread_count_;
      return RunTogether();
    }
  }
  task(context, 0, 1);
}

void ThreadPool::RunAlone(Task task, void* context) {
  for (uint32_t part = 0; part < thread_count_; ++part) {
    task(context, part, thread_count_);
  }
}

void ThreadPool::RunTogether() {
  const int64_t start = Now();
  done_.store(0, std::memory_order_relaxed);
  NextTask(parts_);
  WakeSleepers(ticket_);
  const uint32_t taken = TakeParts();
  if (taken == parts_) {
    // Nobody came. Workers that wake too late only take time from others.
    if (++unhelped_ < kMostUnhelped) return;
    unhelped_ = 0;
    alone_until_ = Now() + kRest;
    return;
  }
  unhelped_ = 0;
  int64_t waits_since = 0;
  for (uint32_t done;
       (done = done_.load(std::memory_order_acquire)) < parts_;) {
    if (SpinForChange(done_, done, kShortSpins)) continue;
    if (waits_since == 0) waits_since = Now();
    if (SpinForChange(done_, done, kSpins)) continue;
    SleepUntilChange(done_, done);
  }
  if (waits_since == 0) {
    if (credit_ < kMostCredit) credit_ += kLeastGain;
  } else if (taken > 0) {
    const int64_t now = Now();
    // What the caller's parts took, as many times as it would have had them.
    const int64_t alone = (waits_since - start) / taken * parts_;
    // No gain, for it may be that the caller lost its processor meanwhile.
    if (now - start > alone) BookLoss(now - start - alone, now);
  }
}

void ThreadPool::BookLoss(int64_t nanoseconds, int64_t now) {
  credit_ -= nanoseconds;
  if (credit_ >= 0) return;
  const int64_t alone = -credit_ * kAlonePerLoss;
  alone_until_ = now + (alone < kMostAlone ? alone : kMostAlone);
  credit_ = 0;
}

void ThreadPool::NextTask(uint32_t parts) {
  ticket_.store((ticket_.load(std::memory_order_relaxed) | kPartMask) + 1 +
                parts);
}

uint32_t ThreadPool::TakeParts() {
  uint32_t taken = 0;
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
    ++taken;
    ticket = ticket_.load(std::memory_order_acquire);
  }
  return taken;
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
    if ((ticket & kPartMask) == 0 && !SpinForChange(ticket_, ticket, kSpins)) {
      SleepUntilChange(ticket_, ticket);
    }
  }
}

}  // namespace latimer
