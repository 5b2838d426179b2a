// How often quantized weights choose other tokens than f32 weights.
#ifndef LATIMER_CONVERTER_AGREEMENT_H_
#define LATIMER_CONVERTER_AGREEMENT_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "converter/model_writer.h"

namespace latimer {

// With fewer, a single token would be more than what is allowed to differ.
inline constexpr uint64_t kLeastAgreementTokens = 100;

// Shares of what a packed model makes otherwise than f32.
struct Loss {
  // Tokens in whose place it chooses others after reading the same tokens: what
  // Certificate::agreement lacks to 1.
  double tokens = 0;
  // Lines with such a token, whose own translations therefore differ.
  double lines = 0;
};

// A text with its translation by f32 weights. Must be linked with a runtime
// whose profile has `probes`.
class Agreement {
 public:
  // Translates the text, UTF-8, one sentence per line, greedily, on all cores.
  // `progress` is called with the lines done and the total, by one thread at a
  // time. Throws ConversionError if the text cannot be read, is not UTF-8 or
  // has too few tokens, or if a line, which it names, cannot be translated.
  Agreement(const ModelBytes& f32, const std::filesystem::path& text,
            const std::function<void(uint64_t done, uint64_t total)>& progress);

  Loss LossOf(const ModelBytes& packed) const;

  uint64_t tokens() const { return tokens_; }
  // Those that are not empty.
  uint64_t lines() const { return lines_; }

 private:
  // What is translated at once.
  struct Part {
    size_t line;
    std::vector<int32_t> source, target;
  };
  class Forcer;

  std::vector<Part> parts_;
  uint64_t tokens_ = 0;
  uint64_t lines_ = 0;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_AGREEMENT_H_
