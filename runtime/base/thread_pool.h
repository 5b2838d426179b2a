// A fixed team of threads that runs one task at a time, in a caller's memory.
//
// Workers are created by Start and sleep between tasks after spinning a short
// while. Tasks never allocate. A pool of one thread creates nothing and runs
// tasks in the caller.
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
  // Called once on every thread with its number in [0, thread_count).
  using Task = void (*)(void* context, uint32_t thread, uint32_t thread_count);

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

  // Runs `task` on all threads, this one included, and waits for all.
  void Run(Task task, void* context);

  // Run for a callable: f(thread, thread_count).
  template <typename F>
  void ForEachThread(F&& f) {
    Run(
        [](void* context, uint32_t thread, uint32_t count) {
          (*static_cast<F*>(context))(thread, count);
        },
        &f);
  }

 private:
  struct Worker {
    ThreadPool* pool = nullptr;
    uint32_t number = 0;
    uint32_t epoch = 0;  // of the pool when the worker was created
    pthread_t thread{};
  };

  static void* WorkerMain(void* worker);
  void Work(uint32_t number, uint32_t seen);

  uint32_t thread_count_ = 1;
  Task task_ = nullptr;
  void* context_ = nullptr;
  // Bumped for each task; workers wait for it to change.
  alignas(64) std::atomic<uint32_t> epoch_{0};
  // Workers that have not finished the current task.
  alignas(64) std::atomic<uint32_t> pending_{0};
  std::atomic<bool> stopping_{false};
  Worker workers_[kProfile.threads];
};

}  // namespace latimer

#endif  // LATIMER_BASE_THREAD_POOL_H_
