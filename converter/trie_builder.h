// Builds the tries that runtime/text/trie.h walks.
#ifndef LATIMER_CONVERTER_TRIE_BUILDER_H_
#define LATIMER_CONVERTER_TRIE_BUILDER_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace latimer {

// Builds a trie from keys to values; empty if there are no keys. Throws
// ConversionError for a key that is empty, has a zero byte or exceeds
// kMaxTrieKeyBytes, and for more nodes or values than a trie can hold.
std::vector<uint32_t> BuildTrie(const std::map<std::string, uint32_t>& entries);

// The entries of a trie that BuildTrie built.
std::map<std::string, uint32_t> TrieEntries(std::span<const uint32_t> nodes);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_TRIE_BUILDER_H_
