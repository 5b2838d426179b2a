// What a pruned vocabulary does to a text.
#ifndef LATIMER_CONVERTER_LOST_TOKENS_H_
#define LATIMER_CONVERTER_LOST_TOKENS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "converter/tokenizer_data.h"

namespace latimer {

struct LostTokens {
  // Consecutive tokens, at least one of them lost, and the tokens that replace
  // them.
  struct Example {
    std::vector<std::string> before;
    std::vector<std::string> now;
    size_t count = 0;
  };

  size_t lines = 0;
  size_t tokens = 0;  // With the whole vocabulary.
  size_t lost = 0;    // Of these, the removed ones.
  size_t different = 0;
  size_t changed_lines = 0;
  std::vector<Example> examples;  // The most frequent first.
};

// Encodes the lines with the whole vocabulary and with the ids `kept` of it,
// ascending. Returns at most `most_examples` examples.
LostTokens FindLostTokens(const std::vector<std::string>& lines,
                          const TokenizerData& whole,
                          const TokenizerData& pruned,
                          const std::vector<uint32_t>& kept,
                          size_t most_examples);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_LOST_TOKENS_H_
