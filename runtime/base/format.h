// Text from a format, without the C library, whose printf needs a heap on a
// machine without an operating system.
#ifndef LATIMER_BASE_FORMAT_H_
#define LATIMER_BASE_FORMAT_H_

#include <cstdarg>
#include <cstddef>

namespace latimer {

// Writes to out [size] what std::snprintf would, and returns the same: the
// length of the whole text, which is cut to fit. The format may have %s, %.*s,
// %d, %u, %llu, %zu and %%. Precondition: size > 0.
[[gnu::format(printf, 3, 4)]] size_t FormatText(char* out, size_t size,
                                                const char* format, ...);
[[gnu::format(printf, 3, 0)]] size_t FormatArguments(char* out, size_t size,
                                                     const char* format,
                                                     va_list arguments);

}  // namespace latimer

#endif  // LATIMER_BASE_FORMAT_H_
