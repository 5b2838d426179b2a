#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>

namespace latimer {
namespace {

constexpr uint32_t kMost = kProfile.threads;

// Runs one task and counts how often each part was run.
void ExpectEachPartOnce(ThreadPool& pool) {
  std::array<std::atomic<int>, kMost> runs{};
  pool.ForEachPart([&](uint32_t part, uint32_t parts) {
    ASSERT_EQ(parts, pool.thread_count());
    ASSERT_LT(part, parts);
    runs[part].fetch_add(1);
  });
  for (uint32_t i = 0; i < pool.thread_count(); ++i) ASSERT_EQ(runs[i], 1);
}

TEST(ThreadPoolTest, APoolThatWasNotStartedRunsInTheCaller) {
  ThreadPool pool;
  const pthread_t caller = pthread_self();
  int runs = 0;
  pool.ForEachPart([&](uint32_t part, uint32_t parts) {
    EXPECT_EQ(part, 0u);
    EXPECT_EQ(parts, 1u);
    EXPECT_TRUE(pthread_equal(caller, pthread_self()));
    ++runs;
  });
  EXPECT_EQ(runs, 1);
}

TEST(ThreadPoolTest, EveryPartOfThousandsOfTasksRunsOnce) {
  for (const uint32_t threads : {1u, 2u, 3u, 7u, kMost}) {
    ThreadPool pool;
    ASSERT_TRUE(pool.Start(threads, /*pin=*/false).ok());
    for (int i = 0; i < 3000; ++i) ExpectEachPartOnce(pool);
  }
}

TEST(ThreadPoolTest, WhatATaskWroteIsSeenByTheNextOne) {
  ThreadPool pool;
  ASSERT_TRUE(pool.Start(4, /*pin=*/true).ok());
  std::array<uint64_t, 4> sums{};
  for (uint64_t i = 0; i < 5000; ++i) {
    // Not atomic: the pool orders the tasks. Neighbours were written by others.
    pool.ForEachPart([&](uint32_t part, uint32_t) {
      EXPECT_EQ(sums[part], i);
    });
    pool.ForEachPart([&](uint32_t part, uint32_t parts) {
      sums[(part + 1) % parts] += 1;
    });
  }
}

TEST(ThreadPoolTest, WorkersThatFellAsleepComeBack) {
  ThreadPool pool;
  ASSERT_TRUE(pool.Start(3, /*pin=*/false).ok());
  for (int i = 0; i < 20; ++i) {
    const timespec pause = {0, 2'000'000};
    nanosleep(&pause, nullptr);
    ExpectEachPartOnce(pool);
  }
}

TEST(ThreadPoolTest, TheCallerIsNotTheOnlyOneThatWorks) {
  ThreadPool pool;
  ASSERT_TRUE(pool.Start(2, /*pin=*/false).ok());
  // Each part waits for the other one: one thread alone would never finish.
  std::atomic<int> arrived{0};
  pool.ForEachPart([&](uint32_t, uint32_t) {
    arrived.fetch_add(1);
    while (arrived.load() < 2) {
    }
  });
  EXPECT_EQ(arrived.load(), 2);
}

TEST(ThreadPoolTest, StartsAgainAfterStop) {
  ThreadPool pool;
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(pool.Start(1 + static_cast<uint32_t>(round) % 4, false).ok());
    for (int i = 0; i < 50; ++i) ExpectEachPartOnce(pool);
    pool.Stop();
    EXPECT_EQ(pool.thread_count(), 1u);
    ExpectEachPartOnce(pool);
  }
}

TEST(ThreadPoolTest, MoreThreadsThanTheProfileAllowsAreRefused) {
  ThreadPool pool;
  for (const uint32_t threads : {0u, kMost + 1, UINT32_MAX}) {
    const Status status = pool.Start(threads, false);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(std::string_view(status.message()).find(kProfile.name),
              std::string_view::npos);
    EXPECT_EQ(pool.thread_count(), 1u);
  }
}

}  // namespace
}  // namespace latimer
