// A read-only byte trie, walked in place in the model file.
//
// A node is 32 bits: label (8), leaf (1), last sibling (1), payload (22). The
// first 256 nodes are the first level, one slot per byte; a slot without a key
// is a leaf with the payload kTrieNone. Runs of siblings follow, with strictly
// increasing labels and the last one marked. The payload of a leaf is the value
// of the key that ends there; that of an inner node is the index of the run of
// its children. Equal runs are stored once. A key that is the prefix of another
// has its value in a leaf with label 0 before the other children, so no key
// contains a zero byte.
#ifndef LATIMER_TEXT_TRIE_H_
#define LATIMER_TEXT_TRIE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/status.h"

namespace latimer {

inline constexpr uint32_t kTrieFirstLevel = 256;
inline constexpr uint32_t kTrieLeaf = 1u << 23;
inline constexpr uint32_t kTrieLast = 1u << 22;
// Values and node indices are below this; as a value it means "no key".
inline constexpr uint32_t kTrieNone = (1u << 22) - 1;
// Longest key. Matching stops there: a damaged trie may lead in a circle.
inline constexpr size_t kMaxTrieKeyBytes = 1023;

constexpr uint32_t TrieLabel(uint32_t node) { return node >> 24; }
constexpr uint32_t TriePayload(uint32_t node) { return node & kTrieNone; }

// Whether a key begins with this byte. `nodes` is not empty.
constexpr bool TrieHasFirst(std::span<const uint32_t> nodes, char first) {
  return TriePayload(nodes[static_cast<unsigned char>(first)]) != kTrieNone;
}

// Follows one key from the root, byte by byte. Borrows the nodes, which
// ValidateTrie has accepted and which are not empty.
class TrieWalk {
 public:
  explicit TrieWalk(std::span<const uint32_t> nodes) : nodes_(nodes.data()) {}

  // Appends `byte` to the key. False if no key begins so; the walk is over
  // then.
  bool Step(uint8_t byte) {
    uint32_t node;
    if (children_ == kAtRoot) {
      node = nodes_[byte];
    } else {
      if (children_ == kNoChildren) return false;
      const uint32_t* sibling = nodes_ + children_;
      while (TrieLabel(*sibling) < byte) {
        if ((*sibling & kTrieLast) != 0) return false;
        ++sibling;
      }
      if (TrieLabel(*sibling) != byte) return false;
      node = *sibling;
    }
    return Enter(node);
  }

  // Value of the key so far, or kTrieNone if no key ends here.
  uint32_t value() const { return value_; }

 private:
  static constexpr uint32_t kAtRoot = 0;
  static constexpr uint32_t kNoChildren = 1;

  bool Enter(uint32_t node) {
    const uint32_t payload = TriePayload(node);
    if ((node & kTrieLeaf) != 0) {
      value_ = payload;
      children_ = kNoChildren;
      return payload != kTrieNone;
    }
    const uint32_t first_child = nodes_[payload];
    if (TrieLabel(first_child) == 0) {
      value_ = TriePayload(first_child);
      children_ = payload + 1;
    } else {
      value_ = kTrieNone;
      children_ = payload;
    }
    return true;
  }

  const uint32_t* nodes_;
  uint32_t children_ = kAtRoot;
  uint32_t value_ = kTrieNone;
};

// A key that a text begins with; 0 bytes if there is none.
struct TrieMatch {
  uint32_t value = kTrieNone;
  size_t bytes = 0;
};
TrieMatch LongestMatch(std::span<const uint32_t> nodes, std::string_view text);
TrieMatch ShortestMatch(std::span<const uint32_t> nodes, std::string_view text);

// Value of exactly this key, or kTrieNone.
uint32_t FindKey(std::span<const uint32_t> nodes, std::string_view key);

// The key that has this value, written to `out`, which is at least as long as
// the longest key; empty if there is none. Searches the whole trie, so it is
// for display only.
std::string_view KeyOfValue(std::span<const uint32_t> nodes, uint32_t value,
                            std::span<char> out);

// Checks in O(nodes) that `nodes` is empty, or that no walk leaves it and that
// all values are below `value_limit`; kCorrupt otherwise. `name` is what the
// message calls the trie. A walk may still lead in a circle, and a run may have
// several parents.
Status ValidateTrie(std::span<const uint32_t> nodes, size_t value_limit,
                    const char* name);

}  // namespace latimer

#endif  // LATIMER_TEXT_TRIE_H_
