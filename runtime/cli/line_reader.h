// Lines of standard input, without waiting for them where there is work to do.
#ifndef LATIMER_CLI_LINE_READER_H_
#define LATIMER_CLI_LINE_READER_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace latimer::cli {

struct InputBytes {
  enum class Got { kBytes, kNothingYet, kEnd };
  Got got = Got::kEnd;
  size_t bytes = 0;
  int error = 0;  // errno of what made it end, or 0.
};

// Reads once. With `wait` it waits until something is there, unless a signal
// comes.
InputBytes ReadInput(char* data, size_t bytes, bool wait);

// Lines of any length, any bytes.
class LineReader {
 public:
  enum class Got { kLine, kNothingYet, kEnd };

  LineReader() = default;
  // One line, in the place of standard input.
  explicit LineReader(std::string_view line)
      : buffer_(line), scanned_(line.size()), ended_(true), only_(true) {}

  // The next line, without its end; the view lives until the next call. With
  // `wait` it waits until there is one and never gives kNothingYet. kEnd where
  // the program is to end.
  Got Next(bool wait, std::string_view* line);

  // Number of the last line, from 1.
  unsigned long long number() const { return number_; }
  // errno of what made it end, or 0.
  int error() const { return error_; }

 private:
  bool TakeLine(std::string_view* line);
  // Reads once. False: nothing is there yet, and it did not wait.
  bool Read(bool wait);

  std::string buffer_;
  size_t begin_ = 0;    // Of what has not been given.
  size_t scanned_ = 0;  // No line ends before it.
  bool ended_ = false;
  bool only_ = false;  // The one line, even if it is empty, is to be given.
  int error_ = 0;
  unsigned long long number_ = 0;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_LINE_READER_H_
