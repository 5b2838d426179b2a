// Memory that detects a kernel's reads and writes outside of it.
#ifndef LATIMER_TESTS_OPS_GUARDED_MEMORY_H_
#define LATIMER_TESTS_OPS_GUARDED_MEMORY_H_

#include <gtest/gtest.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#ifdef _WIN32
#include "base/windows_api.h"
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace latimer {

// Bytes that end where an unreadable page begins and start after canaries. They
// are aligned to the largest power of two that divides their number.
class GuardedBytes {
 public:
  explicit GuardedBytes(size_t size) : size_(size) {
    const size_t page = PageBytes();
    const size_t readable = (size + kCanaries + page - 1) / page * page;
    Map(readable, page);
    data_ = base_ + readable - size;
    memset(data_ - kCanaries, kCanary, kCanaries);
  }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  ~GuardedBytes() {
    for (size_t i = 1; i <= kCanaries; ++i) EXPECT_EQ(*(data_ - i), kCanary);
    Unmap();
  }

  template <typename T>
  T* As() {
    return reinterpret_cast<T*>(data_);
  }
  size_t size() const { return size_; }

 private:
  static constexpr size_t kCanaries = 256;
  static constexpr char kCanary = 0x5a;

#ifdef _WIN32
  static size_t PageBytes() { return 4096; }
  void Map(size_t readable, size_t page) {
    mapped_ = readable + page;
    base_ = static_cast<char*>(
        VirtualAlloc(nullptr, mapped_, MEM_RESERVE, PAGE_NOACCESS));
    LATIMER_CHECK(base_ != nullptr);
    LATIMER_CHECK(VirtualAlloc(base_, readable, MEM_COMMIT, PAGE_READWRITE) ==
                  base_);
  }
  void Unmap() { VirtualFree(base_, 0, MEM_RELEASE); }
#else
  static size_t PageBytes() {
    return static_cast<size_t>(sysconf(_SC_PAGESIZE));
  }
  void Map(size_t readable, size_t page) {
    mapped_ = readable + page;
    void* address = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    LATIMER_CHECK(address != MAP_FAILED);
    base_ = static_cast<char*>(address);
    LATIMER_CHECK(mprotect(base_ + readable, page, PROT_NONE) == 0);
  }
  void Unmap() { munmap(base_, mapped_); }
#endif

  size_t size_;
  size_t mapped_;
  char* base_;
  char* data_;
};

}  // namespace latimer

#endif  // LATIMER_TESTS_OPS_GUARDED_MEMORY_H_
