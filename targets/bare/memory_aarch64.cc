// What the compiler and the runtime use of a C library, for the compiler of
// Linux programs, whose library needs Linux. Slow, and used for little.
#include <cstddef>
#include <cstdint>

// Or GCC would see that memcpy is what memcpy() does.
#pragma GCC optimize("no-tree-loop-distribute-patterns")

extern "C" {

void* memcpy(void* to, const void* from, size_t count) {
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  for (; count >= 8; count -= 8, out += 8, in += 8) {
    __builtin_memcpy(out, in, 8);
  }
  for (size_t i = 0; i < count; ++i) out[i] = in[i];
  return to;
}

void* memmove(void* to, const void* from, size_t count) {
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  if (out <= in || out >= in + count) return memcpy(to, from, count);
  for (size_t i = count; i > 0; --i) out[i - 1] = in[i - 1];
  return to;
}

void* memset(void* to, int byte, size_t count) {
  auto* out = static_cast<unsigned char*>(to);
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<unsigned char>(byte);
  return to;
}

int memcmp(const void* a, const void* b, size_t count) {
  const auto* x = static_cast<const unsigned char*>(a);
  const auto* y = static_cast<const unsigned char*>(b);
  for (size_t i = 0; i < count; ++i) {
    if (x[i] != y[i]) return x[i] - y[i];
  }
  return 0;
}

void* memchr(const void* text, int byte, size_t count) {
  const auto* x = static_cast<const unsigned char*>(text);
  for (size_t i = 0; i < count; ++i) {
    if (x[i] == static_cast<unsigned char>(byte)) {
      return const_cast<unsigned char*>(x + i);
    }
  }
  return nullptr;
}

size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length] != '\0') ++length;
  return length;
}

int strncmp(const char* a, const char* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (a[i] != b[i] || a[i] == '\0') {
      return static_cast<unsigned char>(a[i]) -
             static_cast<unsigned char>(b[i]);
    }
  }
  return 0;
}

int strcmp(const char* a, const char* b) { return strncmp(a, b, SIZE_MAX); }

char* strcpy(char* to, const char* from) {
  memcpy(to, from, strlen(from) + 1);
  return to;
}

}  // extern "C"
