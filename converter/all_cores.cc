#include "converter/all_cores.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace latimer {

void RunOnAllCores(size_t count, size_t most_threads,
                   const std::function<Worker()>& make_worker) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  size_t failed = SIZE_MAX;
  std::exception_ptr error;
  const auto run = [&] {
    size_t i = 0;
    try {
      const Worker work = make_worker();
      for (i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      // All work before i has been started and will end.
      next = count;
      if (i < failed) {
        failed = i;
        error = std::current_exception();
      }
    }
  };
  {
    const size_t cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> threads;
    try {
      while (threads.size() + 1 < std::min({cores, most_threads, count})) {
        threads.emplace_back(run);
      }
    } catch (const std::system_error&) {
      // The threads that exist do the work.
    }
    run();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace latimer
