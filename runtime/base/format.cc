#include "base/format.h"

#include <cstdint>
#include <cstring>

namespace latimer {
namespace {

// Text that is cut to fit.
class Output {
 public:
  Output(char* out, size_t size) : out_(out), size_(size) {}

  void Add(char c) {
    if (length_ + 1 < size_) out_[length_] = c;
    ++length_;
  }
  void Add(const char* text, size_t most) {
    for (size_t i = 0; i < most && text[i] != '\0'; ++i) Add(text[i]);
  }
  void Add(unsigned long long number) {
    char digits[20];  // Those of 2^64.
    size_t i = sizeof(digits);
    do {
      digits[--i] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    Add(digits + i, sizeof(digits) - i);
  }

  // Ends the text and returns its whole length.
  size_t Finish() {
    out_[length_ < size_ ? length_ : size_ - 1] = '\0';
    return length_;
  }

 private:
  char* out_;
  size_t size_;
  size_t length_ = 0;
};

// Whether *format begins with `name`, which is then skipped.
bool Skip(const char** format, const char* name) {
  const size_t length = std::strlen(name);
  if (std::strncmp(*format, name, length) != 0) return false;
  *format += length;
  return true;
}

}  // namespace

size_t FormatArguments(char* out, size_t size, const char* format,
                       va_list arguments) {
  Output output(out, size);
  while (*format != '\0') {
    if (!Skip(&format, "%")) {
      output.Add(*format++);
    } else if (Skip(&format, "s")) {
      output.Add(va_arg(arguments, const char*), SIZE_MAX);
    } else if (Skip(&format, ".*s")) {
      const int most = va_arg(arguments, int);
      output.Add(va_arg(arguments, const char*), static_cast<size_t>(most));
    } else if (Skip(&format, "d")) {
      const long long number = va_arg(arguments, int);
      if (number < 0) output.Add('-');
      output.Add(
          static_cast<unsigned long long>(number < 0 ? -number : number));
    } else if (Skip(&format, "u")) {
      const unsigned number = va_arg(arguments, unsigned);
      output.Add(static_cast<unsigned long long>(number));
    } else if (Skip(&format, "llu")) {
      output.Add(va_arg(arguments, unsigned long long));
    } else if (Skip(&format, "zu")) {
      const size_t number = va_arg(arguments, size_t);
      output.Add(static_cast<unsigned long long>(number));
    } else {
      (void)Skip(&format, "%");
      output.Add('%');
    }
  }
  return output.Finish();
}

size_t FormatText(char* out, size_t size, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const size_t length = FormatArguments(out, size, format, arguments);
  va_end(arguments);
  return length;
}

}  // namespace latimer
