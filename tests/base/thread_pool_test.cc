// Threads that share the work of a task, sleep and wake up.
// Tests runtime/base/thread_pool.cc.
#include "base/thread_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <thread>

#ifdef _WIN32
#include "base/windows_api.h"
#endif

namespace latimer::thread_pool_test {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

constexpr uint32_t kMost = kProfile.threads;
using Counts = std::array<uint64_t, kMost>;

// Adds one to counts[shard] for each shard that runs; plain memory, so that a
// thread sanitizer sees any shard that runs twice or too late.
void CountShards(ThreadPool& pool, Counts& counts) {
  pool.ForEachShard([&](uint32_t shard, uint32_t shards) {
    EXPECT_EQ(shards, pool.thread_count());
    ASSERT_LT(shard, shards);
    ++counts[shard];
  });
}

void ExpectCounts(const Counts& counts, uint32_t shards, uint64_t times) {
  for (uint32_t i = 0; i < kMost; ++i) {
    EXPECT_EQ(counts[i], i < shards ? times : 0) << "shard " << i;
  }
}

TEST(ThreadPoolTest, APoolThatWasNotStartedRunsInTheCaller) {
  ThreadPool pool;
  EXPECT_EQ(pool.thread_count(), 1u);
  Counts counts{};
  const pthread_t caller = pthread_self();
  pool.ForEachShard([&](uint32_t shard, uint32_t) {
    EXPECT_TRUE(pthread_equal(caller, pthread_self()));
    ++counts[shard];
  });
  ExpectCounts(counts, 1, 1);
}

TEST(ThreadPoolTest, EachShardRunsOncePerTaskForThousandsOfTasks) {
  for (uint32_t threads = 1; threads <= kMost; threads += 3) {
    ThreadPool pool;
    ASSERT_TRUE(pool.Start(threads, /*pin=*/false).ok());
    ASSERT_EQ(pool.thread_count(), threads);
    Counts counts{};
    constexpr uint64_t kTasks = 3000;
    for (uint64_t i = 0; i < kTasks; ++i) {
      CountShards(pool, counts);
      // Every shard is done when Run returns.
      ASSERT_EQ(counts[threads - 1], i + 1);
    }
    ExpectCounts(counts, threads, kTasks);
  }
}

TEST(ThreadPoolTest, TasksFollowOneAnotherWithDifferentContexts) {
  ThreadPool pool;
  ASSERT_TRUE(pool.Start(kMost < 4 ? kMost : 4, false).ok());
  for (uint64_t i = 0; i < 2000; ++i) {
    // On the stack: a shard that ran late would write to freed memory.
    std::array<uint64_t, kMost> seen{};
    pool.ForEachShard(
        [&seen, i](uint32_t shard, uint32_t) { seen[shard] = i; });
    for (uint32_t shard = 0; shard < pool.thread_count(); ++shard) {
      ASSERT_EQ(seen[shard], i);
    }
  }
}

TEST(ThreadPoolTest, SleepingThreadsWakeUpForATask) {
  ThreadPool pool;
  ASSERT_TRUE(pool.Start(kMost < 3 ? kMost : 3, false).ok());
  Counts counts{};
  for (int i = 0; i < 20; ++i) {
    // Longer than any spinning.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CountShards(pool, counts);
  }
  ExpectCounts(counts, pool.thread_count(), 20);
}

TEST(ThreadPoolTest, TheCallerWaitsForASlowShard) {
  ThreadPool pool;
  ASSERT_TRUE(pool.Start(kMost < 2 ? kMost : 2, false).ok());
  for (uint32_t slow = 0; slow < pool.thread_count(); ++slow) {
    Counts counts{};
    pool.ForEachShard([&](uint32_t shard, uint32_t) {
      if (shard == slow) usleep(20000);
      ++counts[shard];
    });
    ExpectCounts(counts, pool.thread_count(), 1);
  }
}

// A worker that sleeps in the middle of a shard stands for one that loses its
// processor.
TEST(ThreadPoolTest, TheCallerWorksAloneAfterALongWait) {
  if (kMost < 2) GTEST_SKIP() << "This build has one thread.";
  ThreadPool pool;
  ASSERT_TRUE(pool.Start(2, false).ok());
  const pthread_t caller = pthread_self();
  bool alone = false;
  // Several times, because this test may lose its processor too.
  for (int i = 0; i < 50 && !alone; ++i) {
    std::atomic<bool> helped = false;
    pool.ForEachShard([&](uint32_t, uint32_t) {
      if (!pthread_equal(caller, pthread_self())) {
        helped = true;
        usleep(20000);
        return;
      }
      for (int wait = 0; wait < 100 && !helped; ++wait) usleep(100);
    });
    uint32_t own = 0;
    constexpr uint32_t kTasks = 10;
    for (uint32_t task = 0; task < kTasks; ++task) {
      pool.ForEachShard([&](uint32_t, uint32_t) {
        if (pthread_equal(caller, pthread_self())) {
          ++own;
        } else {
          usleep(1);
        }
      });
    }
    alone = helped && own == 2 * kTasks;
  }
  EXPECT_TRUE(alone);
}

TEST(ThreadPoolTest, StartsAgainAfterStopWithOtherThreads) {
  ThreadPool pool;
  for (int round = 0; round < 50; ++round) {
    const uint32_t threads = 1 + static_cast<uint32_t>(round) % kMost;
    ASSERT_TRUE(pool.Start(threads, false).ok());
    Counts counts{};
    CountShards(pool, counts);
    CountShards(pool, counts);
    ExpectCounts(counts, threads, 2);
    if (round % 2 == 0) pool.Stop();
  }
  pool.Stop();
  EXPECT_EQ(pool.thread_count(), 1u);
  Counts counts{};
  CountShards(pool, counts);
  ExpectCounts(counts, 1, 1);
}

TEST(ThreadPoolTest, RefusesNoneAndTooMany) {
  ThreadPool pool;
  for (const uint32_t threads : {0u, kMost + 1, ~0u}) {
    const Status status = pool.Start(threads, false);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr(std::to_string(threads)));
    EXPECT_EQ(pool.thread_count(), 1u);
  }
}

#if defined(__linux__) && !defined(LATIMER_TEST_THREADS_DARWIN)
TEST(ThreadPoolTest, WorkersHaveNames) {
  if (kMost < 3) GTEST_SKIP() << "This build has fewer than three threads.";
  ThreadPool pool;
  ASSERT_TRUE(pool.Start(3, false).ok());
  std::set<std::string> names;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "comm");
    std::string name;
    std::getline(file, name);
    names.insert(name);
  }
  EXPECT_THAT(names, IsSupersetOf({"latimer-01", "latimer-02"}));
}
#endif

#ifdef _WIN32
std::string AllowedProcessors() {
  DWORD_PTR all = 0, unused = 0;
  EXPECT_TRUE(GetProcessAffinityMask(GetCurrentProcess(), &all, &unused));
  const DWORD_PTR allowed = SetThreadAffinityMask(GetCurrentThread(), all);
  SetThreadAffinityMask(GetCurrentThread(), allowed);
  std::string list;
  for (int cpu = 0; cpu < 64; ++cpu) {
    if ((allowed >> cpu & 1) != 0) list += std::to_string(cpu) + " ";
  }
  return list;
}
#else
std::string AllowedProcessors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  EXPECT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  std::string list;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) list += std::to_string(cpu) + " ";
  }
  return list;
}
#endif

TEST(ThreadPoolTest, PinnedWorkersHaveAProcessorEachAndTheCallerStaysFree) {
  const std::string all = AllowedProcessors();
  ThreadPool pool;
  // Again and again, as a program that loads several models does.
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(pool.Start(kMost < 2 ? kMost : 2, /*pin=*/true).ok());
    EXPECT_EQ(AllowedProcessors(), all);
    if (pool.thread_count() == 1) continue;
    const pthread_t caller = pthread_self();
    std::string workers;
    for (int attempt = 0; attempt < 1000 && workers.empty(); ++attempt) {
      std::atomic<bool> helped = false;
      pool.ForEachShard([&](uint32_t, uint32_t) {
        if (!pthread_equal(caller, pthread_self())) {
          workers = AllowedProcessors();
          helped = true;
          return;
        }
        for (int wait = 0; wait < 100 && !helped; ++wait) usleep(100);
      });
    }
    EXPECT_EQ(std::ranges::count(workers, ' '), 1) << workers;
    EXPECT_THAT(" " + all, HasSubstr(" " + workers));
  }
}

}  // namespace latimer::thread_pool_test
