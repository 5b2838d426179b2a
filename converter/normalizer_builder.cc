#include "converter/normalizer_builder.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "converter/charsmap.h"
#include "converter/lower_case_table.h"
#include "converter/trie_builder.h"
#include "converter/utf8_of.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Stores strings with their terminating zeros and returns their offsets. A
// string that is the end of another one shares its bytes.
std::map<std::string, uint32_t> PackStrings(const std::set<std::string>& texts,
                                            std::vector<uint8_t>& bytes) {
  std::vector<std::string> reversed;
  reversed.reserve(texts.size());
  for (const std::string& text : texts) {
    reversed.emplace_back(text.rbegin(), text.rend());
  }
  std::sort(reversed.rbegin(), reversed.rend());
  std::map<std::string, uint32_t> offsets;
  std::string_view last;
  for (const std::string& text : reversed) {
    const std::string original(text.rbegin(), text.rend());
    if (bytes.empty() || !last.starts_with(text)) {
      bytes.insert(bytes.end(), original.begin(), original.end());
      bytes.push_back(0);
      last = text;
    }
    offsets[original] = static_cast<uint32_t>(bytes.size() - 1 - text.size());
  }
  return offsets;
}

}  // namespace

void BuildStrings(const std::map<std::string, std::string>& strings,
                  std::vector<uint32_t>* trie, std::vector<uint8_t>* bytes) {
  std::set<std::string> values;
  for (const auto& [from, to] : strings) values.insert(to);
  const auto offsets = PackStrings(values, *bytes);
  std::map<std::string, uint32_t> entries;
  for (const auto& [from, to] : strings) entries[from] = offsets.at(to);
  *trie = BuildTrie(entries);
}

void BuildRules(const std::map<std::string, std::string>& rules,
                TokenizerData& data) {
  BuildStrings(rules, &data.normalizer_trie, &data.replacements);
}

void BuildSentencePieceNormalizer(const SentencePieceModel& model,
                                  TokenizerData& data) {
  data.add_dummy_prefix = model.add_dummy_prefix;
  data.remove_extra_whitespaces = model.remove_extra_whitespaces;
  data.escape_whitespaces = model.escape_whitespaces;
  data.treat_whitespace_as_suffix = model.treat_whitespace_as_suffix;
  BuildRules(DecodeCharsmap(model.precompiled_charsmap, model.name), data);
  std::map<std::string, uint32_t> user_defined;
  for (const SentencePiece& piece : model.pieces) {
    if (piece.type == PieceType::kUserDefined) user_defined[piece.text] = 0;
  }
  data.user_defined_trie = BuildTrie(user_defined);
}

void BuildWordNormalizer(const WordNormalizer& options, TokenizerData& data) {
  std::map<std::string, std::string> rules;
  if (options.lower_case) {
    for (const LowerCaseRange& range : kLowerCaseRanges) {
      for (uint32_t c = range.first; c <= range.last; c += range.step) {
        rules[Utf8Of(c)] = Utf8Of(c + static_cast<uint32_t>(range.offset));
      }
    }
    rules.emplace("\u0130", "i\u0307");
  }
  if (options.spaces != Spaces::kAsTheyAre) {
    data.remove_extra_whitespaces = options.spaces == Spaces::kOneBetweenWords;
    const std::string space(data.remove_extra_whitespaces ? 1 : 0, ' ');
    constexpr uint32_t kLastSpace = 0x3000;
    for (uint32_t c = 1; c <= kLastSpace; ++c) {
      if (IsPythonSpace(c)) rules[Utf8Of(c)] = space;
    }
  }
  BuildRules(rules, data);
}

}  // namespace latimer
