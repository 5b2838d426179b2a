#include "converter/charsmap.h"

#include <cstdint>
#include <vector>

#include "converter/error.h"
#include "text/tokenizer_view.h"

namespace latimer {
namespace {

uint32_t ReadUint32(std::string_view bytes, size_t offset) {
  uint32_t value = 0;
  for (size_t i = 4; i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[offset + i]);
  }
  return value;
}

// One unit of the double array: bits 0 to 7 are the label, bit 8 is has_leaf,
// bits 9 to 31 are the offset. In a leaf, bits 0 to 30 are the value and bit 31
// is set.
struct Unit {
  uint32_t bits;

  bool has_leaf() const { return ((bits >> 8) & 1) != 0; }
  uint32_t value() const { return bits & 0x7FFFFFFF; }
  uint32_t label() const { return bits & 0x800000FF; }
  uint32_t offset() const { return (bits >> 10) << ((bits & 0x200) >> 6); }
};

// Far more than all of Unicode needs; the walk of a damaged trie may not end,
// and a trie of a few kilobytes may give rules of gigabytes.
constexpr size_t kMaxVisits = 1 << 22;
constexpr size_t kMaxRuleBytes = size_t{64} << 20;
constexpr size_t kBytesOfRule = 128;  // Beside its key and its replacement.

class CharsmapDecoder {
 public:
  CharsmapDecoder(std::string_view charsmap, const std::string& name)
      : name_(name) {
    if (charsmap.size() < 8) Fail();
    const uint32_t trie_bytes = ReadUint32(charsmap, 0);
    if (trie_bytes % 4 != 0 || trie_bytes < 4 ||
        trie_bytes >= charsmap.size() - 4) {
      Fail();
    }
    for (size_t i = 0; i < trie_bytes; i += 4) {
      units_.push_back({ReadUint32(charsmap, 4 + i)});
    }
    replacements_ = charsmap.substr(4 + trie_bytes);
  }

  std::map<std::string, std::string> Decode() {
    std::string key;
    Visit(units_[0].offset(), key);
    return std::move(rules_);
  }

 private:
  [[noreturn]] void Fail() const {
    FailIn(name_, "its normalization rules are damaged");
  }

  // Visits the children, which are at `base` xor their label. Nodes can be
  // shared, so there may be more visits than units.
  void Visit(uint32_t base, std::string& key) {
    for (uint32_t label = 1; label < 256; ++label) {
      const uint32_t index = base ^ label;
      if (index >= units_.size() || units_[index].label() != label) continue;
      if (++visited_ > kMaxVisits || key.size() >= kMaxPieceBytes) Fail();
      key.push_back(static_cast<char>(label));
      const uint32_t children = index ^ units_[index].offset();
      if (units_[index].has_leaf()) AddRule(key, children);
      Visit(children, key);
      key.pop_back();
    }
  }

  void AddRule(const std::string& key, uint32_t leaf) {
    if (leaf >= units_.size()) Fail();
    const uint32_t begin = units_[leaf].value();
    if (begin >= replacements_.size()) Fail();
    const size_t end = replacements_.find('\0', begin);
    if (end == replacements_.npos) Fail();
    if (end - begin > kMaxReplacementBytes) {
      FailIn(name_, "a normalization rule gives more than ",
             kMaxReplacementBytes, " bytes");
    }
    rule_bytes_ += key.size() + (end - begin) + kBytesOfRule;
    if (rule_bytes_ > kMaxRuleBytes) Fail();
    rules_[key] = std::string(replacements_.substr(begin, end - begin));
  }

  const std::string& name_;
  std::vector<Unit> units_;
  std::string_view replacements_;
  std::map<std::string, std::string> rules_;
  size_t visited_ = 0;
  size_t rule_bytes_ = 0;
};

}  // namespace

std::map<std::string, std::string> DecodeCharsmap(std::string_view charsmap,
                                                  const std::string& name) {
  if (charsmap.empty()) return {};
  return CharsmapDecoder(charsmap, name).Decode();
}

}  // namespace latimer
