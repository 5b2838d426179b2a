// A fixed team of threads that shares one task at a time, in a caller's memory.
//
// A task is cut into as many parts as there are threads. Whoever is awake takes
// the next part; the caller takes parts as well and does what nobody else has
// begun, so that a worker that the system does not run costs nothing but its
// help. Workers spin for a short while between tasks, then sleep. Running a
// task never allocates; a pool of one thread creates nothing.
#ifndef LATIMER_BASE_THREAD_POOL_H_
#define LATIMER_BASE_THREAD_POOL_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "latimer/profile_config.h"
#include "latimer/status.h"

namespace latimer {

class ThreadPool {
 public:
  // Called once for every part in [0, parts), each on some thread, several at
  // a time.
  using Task = void (*)(void* context, uint32_t part, uint32_t parts);

  ThreadPool() = default;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() { Stop(); }

  // Creates thread_count - 1 workers. With `pin`, worker i is bound to the
  // i-th processor that this process may use and the calling thread to the
  // first. Errors: kInvalidArgument if thread_count is 0 or exceeds the
  // profile's, kResourceUnavailable if the system refuses a thread.
  Status Start(uint32_t thread_count, bool pin);

  // Joins the workers; the pool is then one of one thread.
  void Stop();

  uint32_t thread_count() const { return thread_count_; }

  // Runs all parts of `task`, thread_count() of them, and returns when all are
  // done. Not reentrant.
  void Run(Task task, void* context);

  // Run for a callable: f(part, parts).
  template <typename F>
  void ForEachPart(F&& f) {
    Run([](void* context, uint32_t part,
           uint32_t parts) { (*static_cast<F*>(context))(part, parts); },
        &f);
  }

 private:
  static void* WorkerMain(void* pool);
  void Work();
  // Makes `parts` parts of a new task available.
  void NextTask(uint32_t parts);
  // Takes parts of the current task until there is none left.
  void TakeParts();
  // Waits until `value` differs from `old`, first spinning, then asleep.
  void WaitForChange(std::atomic<uint32_t>& value, uint32_t old);
  // Wakes who sleeps until `value` changes, if anyone does.
  void WakeSleepers(std::atomic<uint32_t>& value);

  uint32_t thread_count_ = 1;
  Task task_ = nullptr;
  void* context_ = nullptr;
  uint32_t parts_ = 0;
  // Number of the task and, in the low bits, how many parts nobody has taken.
  // Who counts down by one has the part of the number that is left, and keeps
  // the task alive until that part is done.
  alignas(64) std::atomic<uint32_t> ticket_{0};
  // Parts of the current task that are done.
  alignas(64) std::atomic<uint32_t> done_{0};
  // Threads that sleep until ticket_ or done_ changes.
  std::atomic<uint32_t> sleepers_{0};
  std::atomic<bool> stopping_{false};
  pthread_t workers_[kProfile.threads] = {};

  static constexpr uint32_t kPartMask = 0xff;
  static_assert(kProfile.threads <= kPartMask);
};

}  // namespace latimer

#endif  // LATIMER_BASE_THREAD_POOL_H_
