// A fixed team of threads that shares one task at a time, in a caller's memory.
//
// A task is cut into as many parts as there are threads. Whoever is awake takes
// the next part; the caller takes parts as well and does what nobody else has
// begun, so that a worker that the system does not run costs nothing but its
// help. Workers spin for a short while between tasks, then sleep. Running a
// task never allocates; a pool of one thread creates nothing.
//
// A worker that loses its processor in the middle of a part makes the caller
// wait for the rest of a time slice, which is some thousand parts long. So the
// caller keeps account of what the workers lose it, and where it is more than
// they gain, works alone for kAlonePerLoss times as long.
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
  // i-th of the processors that the calling thread may use, counted from the
  // one it runs on; it stays free itself. Errors: kInvalidArgument if
  // thread_count is 0 or exceeds the profile's, kResourceUnavailable if the
  // system refuses a thread.
  Status Start(uint32_t thread_count, bool pin);

  // Joins the workers; the pool is then one of one thread.
  void Stop();

  uint32_t thread_count() const { return thread_count_; }

  // Runs all parts of `task`, thread_count() of them, and returns when all are
  // done. Not reentrant.
  void Run(Task task, void* context);

  // Run for a callable: f(part, parts).
  template <typename F>
  void ForEachShard(F&& f) {
    Run([](void* context, uint32_t part,
           uint32_t parts) { (*static_cast<F*>(context))(part, parts); },
        &f);
  }

 private:
  static void* WorkerMain(void* pool);
  void Work();
  // Makes `parts` parts of a new task available.
  void NextTask(uint32_t parts);
  // Takes parts of the current task until there is none left; returns how many.
  uint32_t TakeParts();
  // Run with the workers' help, or without.
  void RunTogether();
  void RunAlone(Task task, void* context);
  // Books time that this pool took longer than the caller alone would have.
  void BookLoss(int64_t nanoseconds, int64_t now);
  // Waits until `value` differs from `old`: for so many looks at it, then
  // returns whether it does; or asleep.
  static bool SpinForChange(const std::atomic<uint32_t>& value, uint32_t old,
                            int spins);
  void SleepUntilChange(std::atomic<uint32_t>& value, uint32_t old);
  // Wakes who sleeps until `value` changes, if anyone does.
  void WakeSleepers(std::atomic<uint32_t>& value);

  uint32_t thread_count_ = 1;
  Task task_ = nullptr;
  void* context_ = nullptr;
  uint32_t parts_ = 0;
  // In nanoseconds of the monotonic clock; the caller's alone.
  int64_t credit_ = kMostCredit;  // What the workers have gained of late.
  int64_t alone_until_ = 0;
  uint32_t unhelped_ = 0;  // Tasks since a worker took a part.
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
  // Losses up to this are made good by gains before them.
  static constexpr int64_t kMostCredit = 200'000;
  // By a task whose workers are not late; to know it would take a clock.
  static constexpr int64_t kLeastGain = 1'000;
  // At most a thirtieth of the time is lost, and at most this is spent alone.
  static constexpr int64_t kAlonePerLoss = 32;
  static constexpr int64_t kMostAlone = 1'000'000'000;
  // After so many tasks without help the caller is alone for so long.
  static constexpr uint32_t kMostUnhelped = 64;
  static constexpr int64_t kRest = 20'000'000;
  static_assert(kProfile.threads <= kPartMask);
};

}  // namespace latimer

#endif  // LATIMER_BASE_THREAD_POOL_H_
