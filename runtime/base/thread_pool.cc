#include "base/thread_pool.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <climits>

#include "base/clock.h"
#include "latimer/memory.h"

namespace latimer {
namespace {

// About 20 µs: longer than the pauses between the layers of a decoder step,
// shorter than anyone notices on a battery.
constexpr int kSpins = 4000;

// Less than a microsecond. Workers that are no later than this have gained
// time.
constexpr int kShortSpins = 40;

void Relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

// The kernel's futex; see futex(2). std::atomic's wait() would also do, but
// links the C++ library's exceptions.
void Futex(std::atomic<uint32_t>& value, int operation, uint32_t argument) {
  static_assert(sizeof(value) == sizeof(uint32_t) &&
                std::atomic<uint32_t>::is_always_lock_free);
  (void)syscall(SYS_futex, &value, operation, argument, nullptr, nullptr, 0);
}

[[maybe_unused]] int64_t Now() {
  return static_cast<int64_t>(MonotonicNanoseconds());
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
#ifdef __BIONIC__  // It has no pthread_setaffinity_np before API level 36.
    (void)sched_setaffinity(pthread_gettid_np(thread), sizeof(one), &one);
#else
    (void)pthread_setaffinity_np(thread, sizeof(one), &one);
#endif
    return;
  }
}

// Starts a thread with the stack that the memory plan counts.
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
  // Sequentially consistent, like WakeSleepers: either that sees the sleeper,
  // or the kernel sees the new value.
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
                         "%u threads requested, but the profile \"%s\" of this "
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
      pthread_t worker;
      if (!Create(&worker, &WorkerMain, this)) {
        Stop();
        return Status::Error(StatusCode::kResourceUnavailable,
                             "The system refused thread %u of %u; use fewer "
                             "threads.",
                             static_cast<unsigned>(i + 1),
                             static_cast<unsigned>(thread_count));
      }
      workers_[i] = std::bit_cast<uintptr_t>(worker);
      thread_count_ = i + 1;
      if (pin) Pin(worker, allowed, i);
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
      pthread_join(std::bit_cast<pthread_t>(workers_[i]), nullptr);
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
      // No worker reads these now: all shards of the last task are done.
      task_ = task;
      context_ = context;
      shards_ = thread_count_;
      return RunTogether();
    }
  }
  task(context, 0, 1);
}

void ThreadPool::RunAlone(Task task, void* context) {
  for (uint32_t shard = 0; shard < thread_count_; ++shard) {
    task(context, shard, thread_count_);
  }
}

void ThreadPool::RunTogether() {
  const int64_t start = Now();
  done_.store(0, std::memory_order_relaxed);
  NextTask(shards_);
  WakeSleepers(ticket_);
  const uint32_t taken = TakeShards();
  if (taken == shards_) {
    // No worker helped. Workers that wake too late only take time from others.
    if (++unhelped_ < kMostUnhelped) return;
    unhelped_ = 0;
    alone_until_ = Now() + kRest;
    return;
  }
  unhelped_ = 0;
  int64_t waits_since = 0;
  for (uint32_t done;
       (done = done_.load(std::memory_order_acquire)) < shards_;) {
    if (SpinForChange(done_, done, kShortSpins)) continue;
    if (waits_since == 0) waits_since = Now();
    if (SpinForChange(done_, done, kSpins)) continue;
    SleepUntilChange(done_, done);
  }
  if (waits_since == 0) {
    if (credit_ < kMostCredit) credit_ += kLeastGain;
  } else if (taken > 0) {
    const int64_t now = Now();
    // The time that all shards would have taken at the caller's speed.
    const int64_t alone = (waits_since - start) / taken * shards_;
    // A smaller time does not count as a gain: the caller may have lost its
    // processor.
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

void ThreadPool::NextTask(uint32_t shards) {
  ticket_.store((ticket_.load(std::memory_order_relaxed) | kShardMask) + 1 +
                shards);
}

uint32_t ThreadPool::TakeShards() {
  uint32_t taken = 0;
  uint32_t ticket = ticket_.load(std::memory_order_acquire);
  while ((ticket & kShardMask) > 0) {
    if (!ticket_.compare_exchange_weak(ticket, ticket - 1,
                                       std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
      continue;
    }
    const uint32_t shards = shards_;
    task_(context_, (ticket & kShardMask) - 1, shards);
    if (done_.fetch_add(1) + 1 == shards) WakeSleepers(done_);
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
    TakeShards();
    // Read the ticket first. Stop changes it after stopping_, so no worker
    // sleeps on the ticket of Stop.
    const uint32_t ticket = ticket_.load(std::memory_order_acquire);
    if (stopping_.load(std::memory_order_acquire)) return;
    if ((ticket & kShardMask) == 0 && !SpinForChange(ticket_, ticket, kSpins)) {
      SleepUntilChange(ticket_, ticket);
    }
  }
}

}  // namespace latimer
