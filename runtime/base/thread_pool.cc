#include "base/thread_pool.h"

#include <sched.h>

#include "base/check.h"

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

// Waits until `value` differs from `old`, first spinning, then asleep.
void WaitForChange(const std::atomic<uint32_t>& value, uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    Relax();
  }
  while (value.load(std::memory_order_acquire) == old) {
    value.wait(old, std::memory_order_acquire);
  }
}

// Binds `thread` to the index-th processor of `allowed`, modulo their number.
void Pin(pthread_t thread, const cpu_set_t& allowed, uint32_t index) {
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

}  // namespace

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
      workers_[i].pool = this;
      workers_[i].number = i;
      workers_[i].epoch = epoch_.load(std::memory_order_relaxed);
      if (pthread_create(&workers_[i].thread, nullptr, &WorkerMain,
                         &workers_[i]) != 0) {
        Stop();
        return Status::Error(StatusCode::kResourceUnavailable,
                             "The system refused thread %u of %u; use fewer "
                             "threads.",
                             static_cast<unsigned>(i + 1),
                             static_cast<unsigned>(thread_count));
      }
      thread_count_ = i + 1;
      if (pin) Pin(workers_[i].thread, allowed, i);
    }
    if (pin && thread_count > 1) Pin(pthread_self(), allowed, 0);
  }
  return Status();
}

void ThreadPool::Stop() {
  if constexpr (kProfile.threads > 1) {
    if (thread_count_ == 1) return;
    stopping_.store(true, std::memory_order_relaxed);
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_all();
    for (uint32_t i = 1; i < thread_count_; ++i) {
      pthread_join(workers_[i].thread, nullptr);
    }
    stopping_.store(false, std::memory_order_relaxed);
    thread_count_ = 1;
  }
}

void ThreadPool::Run(Task task, void* context) {
  if constexpr (kProfile.threads > 1) {
    if (thread_count_ > 1) {
      task_ = task;
      context_ = context;
      pending_.store(thread_count_ - 1, std::memory_order_relaxed);
      epoch_.fetch_add(1, std::memory_order_release);
      epoch_.notify_all();
      task(context, 0, thread_count_);
      for (uint32_t left; (left = pending_.load(std::memory_order_acquire)) >
                          0;) {
        WaitForChange(pending_, left);
      }
      return;
    }
  }
  task(context, 0, 1);
}

void* ThreadPool::WorkerMain(void* worker) {
  auto* self = static_cast<Worker*>(worker);
  self->pool->Work(self->number, self->epoch);
  return nullptr;
}

void ThreadPool::Work(uint32_t number, uint32_t seen) {
  for (;;) {
    WaitForChange(epoch_, seen);
    seen = epoch_.load(std::memory_order_acquire);
    if (stopping_.load(std::memory_order_relaxed)) return;
    task_(context_, number, thread_count_);
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      pending_.notify_one();
    }
  }
}

}  // namespace latimer
