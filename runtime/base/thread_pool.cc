#include "base/thread_pool.h"

#include "base/clock.h"
#if defined(_WIN32)
#include "base/threads_windows.h"
#elif defined(__APPLE__) || defined(LATIMER_TEST_THREADS_DARWIN)
#include "base/threads_darwin.h"
#else
#include "base/threads_linux.h"
#endif

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

[[maybe_unused]] int64_t Now() {
  return static_cast<int64_t>(MonotonicNanoseconds());
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
  // or the system sees the new value.
  sleepers_.fetch_add(1);
  while (value.load() == old) SleepWhile(value, old);
  sleepers_.fetch_sub(1);
}

void ThreadPool::WakeSleepers(std::atomic<uint32_t>& value) {
  if (sleepers_.load() > 0) WakeAll(value);
}

Status ThreadPool::CheckCount(uint32_t thread_count) {
  if (thread_count > 0 && thread_count <= kProfile.threads) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "threads %u: this build takes 1 to %u.",
                       static_cast<unsigned>(thread_count),
                       static_cast<unsigned>(kProfile.threads));
}

Status ThreadPool::Start(uint32_t thread_count, bool pin) {
  Stop();
  LATIMER_RETURN_IF_ERROR(CheckCount(thread_count));
  credit_ = kMostCredit;
  alone_until_ = 0;
  unhelped_ = 0;
  if constexpr (kProfile.threads > 1) {
    const Processors processors;
    for (uint32_t i = 1; i < thread_count; ++i) {
      if (!StartThread<&WorkerMain>(&workers_[i], this)) {
        Stop();
        return Status::Error(StatusCode::kResourceUnavailable,
                             "The system refused thread %u of %u; use fewer "
                             "threads.",
                             static_cast<unsigned>(i + 1),
                             static_cast<unsigned>(thread_count));
      }
      thread_count_ = i + 1;
      NameThread(workers_[i], i);
      if (pin) processors.Bind(workers_[i], i);
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
      JoinThread(workers_[i]);
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
