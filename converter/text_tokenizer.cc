#include "converter/text_tokenizer.h"

#include <algorithm>

#include "converter/error.h"
#include "converter/readers/text_file.h"
#include "converter/trie_builder.h"

namespace latimer {
namespace {

constexpr size_t kMaxLineBytes = 1'000'000;
// Bytes of normalized text: up to three times as many if it has spaces, a few
// more if rules lengthen it, and no fewer than the runtime needs.
constexpr size_t kLeastBytes = 4096;
static_assert(kLeastBytes >= kMinNormalizedBytes);

}  // namespace

TextTokenizer::TextTokenizer(const TokenizerData& data)
    : data_(data),
      tokenizer_(data.View()),
      pieces_(data.source_vocabulary),
      sums_(kMaxPieceBytes + 1) {
  for (const auto& [text, entry] : TrieEntries(data.piece_trie)) {
    if (entry < pieces_.size()) pieces_[entry] = text;
  }
  MakeRoom(kLeastBytes);
}

void TextTokenizer::MakeRoom(size_t bytes) {
  normalized_.resize(bytes);
  lattice_.resize(bytes + 1);
  if (data_.segmentation != Segmentation::kBpe) return;
  heap_.resize(bytes);
  splits_.resize(data_.unused_pieces);
}

std::vector<int32_t> TextTokenizer::Encode(std::string_view line) {
  std::vector<int32_t> ids(2 * line.size() + 16);
  if (line.size() <= kMaxLineBytes) {
    for (int tries = 0; tries < 4; ++tries) {
      const Result<size_t> count = tokenizer_.Encode(
          line, {normalized_, lattice_, {heap_, splits_}, sums_}, ids);
      if (count.ok()) {
        ids.resize(*count);
        return ids;
      }
      // BPE needs 2 MB at most.
      MakeRoom(std::min<size_t>(
          std::max(2 * normalized_.size(), 3 * line.size() + kLeastBytes),
          kMaxBpeBytes));
      ids.resize(normalized_.size());
    }
  }
  FailWith("The line that begins with '", line.substr(0, 40),
           "' is too long; put one sentence on each line.");
}

std::vector<std::string> ReadTextLines(const std::filesystem::path& path) {
  std::vector<std::string> lines = ReadLines(path);
  std::erase(lines, "");
  return lines;
}

}  // namespace latimer
