// Turns lines of text, of any length, into tokens.
#ifndef LATIMER_CONVERTER_TEXT_TOKENIZER_H_
#define LATIMER_CONVERTER_TEXT_TOKENIZER_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "converter/tokenizer_data.h"
#include "text/tokenizer.h"

namespace latimer {

class TextTokenizer {
 public:
  // Borrows `data`, which does not change while this object lives.
  explicit TextTokenizer(const TokenizerData& data);

  // The ids of one sentence, as the runtime makes them. Throws
  // ConversionError if it has more than a million bytes.
  std::vector<int32_t> Encode(std::string_view line);

  // The pieces of all ids of the source vocabulary; empty for an id that no
  // text produces.
  const std::vector<std::string>& pieces() const { return pieces_; }

 private:
  void MakeRoom(size_t bytes);

  const TokenizerData& data_;
  const Tokenizer tokenizer_;
  std::vector<std::string> pieces_;
  std::vector<char> normalized_;
  std::vector<LatticeNode> lattice_;
  std::vector<uint32_t> heap_;
  std::vector<uint16_t> splits_;
  std::vector<double> sums_;
};

// The lines of a file, without empty ones. Throws ConversionError if it cannot
// be read.
std::vector<std::string> ReadTextLines(const std::filesystem::path& path);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_TEXT_TOKENIZER_H_
