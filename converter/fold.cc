#include "converter/fold.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "converter/fold_table.h"
#include "converter/normalizer_builder.h"
#include "converter/trie_builder.h"
#include "converter/utf8_of.h"
#include "text/lattice.h"
#include "text/trie.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Those that FoldText tells about, the more common ones first.
constexpr std::u32string_view kCommon =
    U"–—“”‘’„«»…•€©®™£§°²½×→éèêëáàâäãåæçíìîïñóòôöõøœúùûüßýćčąęěğıłńňőřśşšťůűźż"
    U"ž";

// The characters of a text in UTF-8.
std::vector<uint32_t> CharactersOf(std::string_view text) {
  std::vector<uint32_t> characters;
  while (!text.empty()) {
    const Utf8Char c = FirstChar(text);
    if (c.bytes == 0) return {};
    characters.push_back(c.code_point);
    text.remove_prefix(c.bytes);
  }
  return characters;
}

class Folder {
 public:
  explicit Folder(const TokenizerData& data) : view_(data.View()) {
    for (const Fold& fold : kFolds) {
      for (const char32_t c : std::u32string_view(fold.from)) {
        table_[c] = fold.to;
      }
    }
    ReadPieces(data);
  }

  // Whether the model reads a character, in some piece.
  bool Reads(uint32_t c) const { return c < 0x80 || read_.contains(c); }
  // Whether a rule of the normalizer replaces it.
  bool Normalizes(uint32_t c) const {
    const std::string key = Utf8Of(c);
    const uint32_t rule = FindKey(view_.normalizer_trie, key);
    return rule != kTrieNone &&
           key !=
               reinterpret_cast<const char*>(view_.replacements.data()) + rule;
  }
  // What a character is read as that the model does not read.
  std::optional<std::string> FoldOf(uint32_t c, int depth = 0) const {
    const auto found = table_.find(c);
    if (found == table_.end() || depth > kMostDepth) return std::nullopt;
    std::string folded;
    for (const uint32_t part : CharactersOf(found->second)) {
      if (part == ' ' || alone_.contains(part)) {
        folded.append(Utf8Of(part));
      } else if (const auto further = FoldOf(part, depth + 1)) {
        folded.append(*further);
      } else {
        return std::nullopt;
      }
    }
    return folded;
  }

  std::map<std::string, std::string> Folds() const {
    std::map<std::string, std::string> folds;
    for (const auto& [c, to] : table_) {
      if (Reads(c) || Normalizes(c)) continue;
      if (const auto folded = FoldOf(c)) folds[Utf8Of(c)] = *folded;
    }
    return folds;
  }

 private:
  static constexpr int kMostDepth = 3;

  // Finds the characters that pieces cover, and those that are pieces.
  void ReadPieces(const TokenizerData& data) {
    std::vector<std::vector<uint32_t>> others;
    for (const auto& [text, entry] : TrieEntries(data.piece_trie)) {
      if (IdOfEntry(view_, entry) == view_.unknown_id) continue;
      const std::vector<uint32_t> characters = CharactersOf(text);
      const bool is_segment =
          view_.scores.empty() || view_.scores[entry] != kNoSegment;
      if (!is_segment) {
        others.push_back(characters);
        continue;
      }
      read_.insert(characters.begin(), characters.end());
      if (characters.size() == 1) alone_.insert(characters.front());
    }
    // A run of characters that no piece covers may have an id of its own.
    std::set<uint32_t> runs;
    for (const std::vector<uint32_t>& characters : others) {
      if (std::ranges::none_of(
              characters, [this](uint32_t c) { return read_.contains(c); })) {
        runs.insert(characters.begin(), characters.end());
      }
    }
    read_.merge(runs);
  }

  TokenizerView view_;
  std::map<uint32_t, std::string_view> table_;
  std::set<uint32_t> read_;
  std::set<uint32_t> alone_;
};

bool LosesUnknown(const TokenizerData& data) {
  return (data.segmentation == Segmentation::kUnigram ||
          data.segmentation == Segmentation::kBpe) &&
         data.byte_ids.empty();
}

// The first characters of a text, with spaces between them.
std::string FirstOf(std::string_view text, size_t most) {
  std::string line;
  size_t count = 0;
  for (const uint32_t c : CharactersOf(text)) {
    if (++count > most) return line.append(" ...");
    line.append(count > 1 ? " " : "").append(Utf8Of(c));
  }
  return line;
}

}  // namespace

TokenizerData WithFolds(TokenizerData tokenizer) {
  if (!LosesUnknown(tokenizer)) return tokenizer;
  const Folder folder(tokenizer);
  const std::map<std::string, std::string> folds = folder.Folds();
  BuildStrings(folds, &tokenizer.fold_trie, &tokenizer.fold_text);
  for (const char32_t c : kCommon) {
    const std::string text = Utf8Of(c);
    if (folds.contains(text)) {
      tokenizer.folded.append(text);
    } else if (!folder.Reads(c) && !folder.Normalizes(c)) {
      tokenizer.unread.append(text);
    }
  }
  return tokenizer;
}

std::string FoldText(const TokenizerData& tokenizer) {
  constexpr size_t kMost = 8;
  const TokenizerData data = WithFolds(tokenizer);
  std::string line;
  if (!data.fold_trie.empty()) {
    line = "folds " + std::to_string(TrieEntries(data.fold_trie).size()) +
           " characters that the vocabulary lacks";
    if (!data.folded.empty()) {
      line.append(" (").append(FirstOf(data.folded, kMost)).append(")");
    }
  }
  if (!data.unread.empty()) {
    line.append(line.empty() ? "cannot read " : "; cannot read ")
        .append(FirstOf(data.unread, kMost));
  }
  return line.empty() ? line : line.append("\n");
}

}  // namespace latimer
