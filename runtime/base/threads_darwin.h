// What base/thread_pool.cc needs of macOS and iOS; the same as threads_linux.h.
// Their functions that sleep on an address are private, or newer than most
// phones. This is all POSIX, so that Linux can test it.
#ifndef LATIMER_BASE_THREADS_DARWIN_H_
#define LATIMER_BASE_THREADS_DARWIN_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "base/threads_posix.h"

namespace latimer {

// Of all pools of a program: whoever wakes without a reason sleeps again.
inline pthread_mutex_t sleep_mutex = PTHREAD_MUTEX_INITIALIZER;
inline pthread_cond_t sleep_condition = PTHREAD_COND_INITIALIZER;

inline void SleepWhile(std::atomic<uint32_t>& value, uint32_t old) {
  pthread_mutex_lock(&sleep_mutex);
  if (value.load() == old) pthread_cond_wait(&sleep_condition, &sleep_mutex);
  pthread_mutex_unlock(&sleep_mutex);
}

// The value has changed before. With the mutex, a thread has either not yet
// compared it or sleeps already.
inline void WakeAll(std::atomic<uint32_t>&) {
  pthread_mutex_lock(&sleep_mutex);
  pthread_cond_broadcast(&sleep_condition);
  pthread_mutex_unlock(&sleep_mutex);
}

// A thread can name itself only.
inline void NameThread(uintptr_t, uint32_t) {}

// These systems bind no thread to a processor.
class Processors {
 public:
  void Bind(uintptr_t, uint32_t) const {}
};

}  // namespace latimer

#endif  // LATIMER_BASE_THREADS_DARWIN_H_
