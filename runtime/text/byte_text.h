// Text from bytes that may not be UTF-8.
#ifndef LATIMER_TEXT_BYTE_TEXT_H_
#define LATIMER_TEXT_BYTE_TEXT_H_

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace latimer {

// Appends to a fixed buffer. Among invalid bytes, each longest beginning of a
// character and each byte that begins none becomes `replacement`, as in Rust's
// String::from_utf8_lossy and Python's bytes.decode (Unicode 15, section 3.9,
// "U+FFFD Substitution of Maximal Subparts").
class ByteTextWriter {
 public:
  ByteTextWriter(std::span<char> out, std::string_view replacement)
      : out_(out), replacement_(replacement) {}

  void Write(std::string_view bytes);
  // Ends the text and returns its size.
  size_t Finish();
  // Whether something did not fit.
  bool full() const { return full_; }

 private:
  void Append(std::string_view text);

  std::span<char> out_;
  std::string_view replacement_;
  size_t size_ = 0;
  bool full_ = false;
  std::array<char, 4> open_ = {};  // The beginning of a character.
  size_t open_bytes_ = 0;
};

}  // namespace latimer

#endif  // LATIMER_TEXT_BYTE_TEXT_H_
