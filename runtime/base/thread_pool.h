// A fixed team of threads that work on one task at a time, in the caller's
// memory.
//
// A task is split into as many shards as there are threads. Threads take
// shards; they are not assigned. The caller takes shards too, all that remain,
// so a worker that the system does not run costs only its help. Between tasks,
// workers spin for a short while, then sleep. Running a task never allocates; a
// pool of one thread creates nothing.
//
// A worker that loses its processor in the middle of a shard makes the caller
// wait for the rest of a time slice, which is as long as some thousand shards.
// The caller therefore counts the time that workers gain and lose. If they lose
// more than they gain, it works alone for kAlonePerLoss times as long as the
// loss.
#ifndef LATIMER_BASE_THREAD_POOL_H_
#define LATIMER_BASE_THREAD_POOL_H_

#include <atomic>
#include <cstdint>

#include "latimer/profile_config.h"
#include "latimer/status.h"

namespace latimer {

class ThreadPool {
 public:
  // Called once for every shard in [0, shards), on any thread, several at a
  // time.
  using Task = void (*)(void* context, uint32_t shard, uint32_t shards);

  ThreadPool() = default;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() { Stop(); }

  // kInvalidArgument: thread_count is 0 or exceeds the profile's.
  static Status CheckCount(uint32_t thread_count);

  // Creates thread_count - 1 workers, named "latimer-01" and so on where the
  // system can, with the caller's policy and priority. With `pin`, worker i is
  // bound to the i-th processor that the calling thread may use, counted from
  // the one it runs on; the calling thread itself is not bound. Errors: those
  // of CheckCount, and kResourceUnavailable if the system refuses a thread.
  Status Start(uint32_t thread_count, bool pin);

  // Joins the workers; the pool then has one thread.
  void Stop();

  uint32_t thread_count() const { return thread_count_; }

  // Runs `task` in thread_count() shards and returns when all are done. Not
  // reentrant.
  void Run(Task task, void* context);

  // The same for a callable f(shard, shards).
  template <typename F>
  void ForEachShard(F&& f) {
    Run([](void* context, uint32_t shard,
           uint32_t shards) { (*static_cast<F*>(context))(shard, shards); },
        &f);
  }

 private:
  static void* WorkerMain(void* pool);
  void Work();
  // Makes the shards of a new task available.
  void NextTask(uint32_t shards);
  // Takes shards of the current task until none is left; returns how many.
  uint32_t TakeShards();
  // Run, with the workers' help and without.
  void RunTogether();
  void RunAlone(Task task, void* context);
  // Counts time that the caller alone would have saved.
  void BookLoss(int64_t nanoseconds, int64_t now);
  // Wait until `value` differs from `old`. The first looks at it `spins` times
  // and returns whether it differs; the second sleeps.
  static bool SpinForChange(const std::atomic<uint32_t>& value, uint32_t old,
                            int spins);
  void SleepUntilChange(std::atomic<uint32_t>& value, uint32_t old);
  // Wakes the threads that sleep until `value` changes.
  void WakeSleepers(std::atomic<uint32_t>& value);

  uint32_t thread_count_ = 1;
  Task task_ = nullptr;
  void* context_ = nullptr;
  uint32_t shards_ = 0;
  // Nanoseconds of the monotonic clock; only the caller uses them.
  int64_t credit_ = kMostCredit;  // Time that the workers have gained lately.
  int64_t alone_until_ = 0;
  uint32_t unhelped_ = 0;  // Tasks since a worker took a shard.
  // The number of the task and, in the low bits, of shards that nobody has
  // taken. A thread that counts them down has taken the shard of the number
  // that is left. The task stays alive until that shard is done.
  alignas(64) std::atomic<uint32_t> ticket_{0};
  // Shards of the current task that are done.
  alignas(64) std::atomic<uint32_t> done_{0};
  // Threads that sleep until ticket_ or done_ changes.
  std::atomic<uint32_t> sleepers_{0};
  std::atomic<bool> stopping_{false};
  // As pthread_t, which a machine without an operating system lacks.
  uintptr_t workers_[kProfile.threads] = {};

  static constexpr uint32_t kShardMask = 0xff;
  // Earlier gains make up for losses up to this.
  static constexpr int64_t kMostCredit = 200'000;
  // The gain of a task whose workers are not late, which is not measured.
  static constexpr int64_t kLeastGain = 1'000;
  // Limits the loss to a thirtieth of the time, and the time alone to this.
  static constexpr int64_t kAlonePerLoss = 32;
  static constexpr int64_t kMostAlone = 1'000'000'000;
  // After this many tasks without help, the caller works alone for this long.
  static constexpr uint32_t kMostUnhelped = 64;
  static constexpr int64_t kRest = 20'000'000;
  static_assert(kProfile.threads <= kShardMask);
};

}  // namespace latimer

#endif  // LATIMER_BASE_THREAD_POOL_H_
