// The bytes of a fuzz input, taken from the front; zeros where none are left.
#ifndef LATIMER_TESTS_FUZZ_INPUT_H_
#define LATIMER_TESTS_FUZZ_INPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace latimer {

class Input {
 public:
  Input(const uint8_t* data, size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  template <typename T>
  T Take() {
    T value{};
    const size_t bytes = std::min(sizeof(T), rest_.size());
    std::memcpy(&value, rest_.data(), bytes);
    rest_.remove_prefix(bytes);
    return value;
  }
  uint8_t Byte() { return Take<uint8_t>(); }
  std::string_view Text(size_t bytes) {
    const std::string_view text = rest_.substr(0, bytes);
    rest_.remove_prefix(text.size());
    return text;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace latimer

#endif  // LATIMER_TESTS_FUZZ_INPUT_H_
