// What base/thread_pool.cc needs of every system with POSIX threads. Inline, so
// that a library with one thread refers to none of it.
#ifndef LATIMER_BASE_THREADS_POSIX_H_
#define LATIMER_BASE_THREADS_POSIX_H_

#include <pthread.h>

#include <bit>
#include <cstdint>

#include "latimer/internal/memory_plan.h"

namespace latimer {

// Starts a thread with the stack that the memory plan counts.
template <void* (*kMain)(void*)>
bool StartThread(uintptr_t* thread, void* context) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_t created;
  const bool started =
      pthread_attr_setstacksize(&attributes, kWorkerStackBytes) == 0 &&
      pthread_create(&created, &attributes, kMain, context) == 0;
  (void)pthread_attr_destroy(&attributes);
  if (started) *thread = std::bit_cast<uintptr_t>(created);
  return started;
}

// Waits until a thread has ended.
inline void JoinThread(uintptr_t thread) {
  pthread_join(std::bit_cast<pthread_t>(thread), nullptr);
}

}  // namespace latimer

#endif  // LATIMER_BASE_THREADS_POSIX_H_
