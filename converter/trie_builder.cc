#include "converter/trie_builder.h"

#include <string_view>
#include <utility>

#include "converter/error.h"
#include "text/trie.h"

namespace latimer {
namespace {

using Entry = std::pair<std::string_view, uint32_t>;

// A run of siblings. The payload of an inner node is the number of the run of
// its children.
using Run = std::vector<uint32_t>;

class TrieBuilder {
 public:
  explicit TrieBuilder(const std::map<std::string, uint32_t>& entries) {
    // std::string compares bytes as unsigned, which is the order we need.
    for (const auto& [key, value] : entries) {
      if (key.empty() || key.find('\0') != key.npos ||
          key.size() > kMaxTrieKeyBytes || value >= kTrieNone) {
        FailWith(
            "A trie cannot hold an empty key, a key with a zero byte or of "
            "more than ",
            kMaxTrieKeyBytes, " bytes, or more than 4 million values.");
      }
      entries_.emplace_back(key, value);
    }
  }

  std::vector<uint32_t> Build() {
    std::vector<uint32_t> nodes(kTrieFirstLevel, kTrieLeaf | kTrieNone);
    for (const uint32_t node : MakeRun(0, entries_.size(), 0)) {
      nodes[TrieLabel(node)] = node & ~kTrieLast;
    }
    // Breadth first, so that the nodes that are read first are adjacent.
    for (size_t i = 0; i < nodes.size(); ++i) {
      if ((nodes[i] & kTrieLeaf) != 0) continue;
      const uint32_t run = TriePayload(nodes[i]);
      nodes[i] = (nodes[i] & ~kTrieNone) | Place(run, nodes);
    }
    return nodes;
  }

 private:
  // The index of a run in `nodes`, after adding it if necessary.
  uint32_t Place(uint32_t run, std::vector<uint32_t>& nodes) {
    places_.resize(runs_.size());
    if (places_[run] == 0) {
      places_[run] = static_cast<uint32_t>(nodes.size());
      nodes.insert(nodes.end(), runs_[run]->begin(), runs_[run]->end());
      if (nodes.size() > kTrieNone) FailTooLarge();
    }
    return places_[run];
  }

  // The children of the node that is reached by the first `depth` bytes, which
  // the entries [begin, end) share.
  Run MakeRun(size_t begin, size_t end, size_t depth) {
    Run run;
    if (entries_[begin].first.size() == depth) {
      run.push_back(kTrieLeaf | entries_[begin].second);
      ++begin;
    }
    while (begin < end) {
      const auto byte = [&](size_t i) {
        return static_cast<unsigned char>(entries_[i].first[depth]);
      };
      size_t next = begin + 1;
      while (next < end && byte(next) == byte(begin)) ++next;
      const auto& [key, value] = entries_[begin];
      const bool leaf = next == begin + 1 && key.size() == depth + 1;
      run.push_back(uint32_t{byte(begin)} << 24 |
                    (leaf ? kTrieLeaf | value
                          : NumberOf(MakeRun(begin, next, depth + 1))));
      begin = next;
    }
    run.back() |= kTrieLast;
    return run;
  }

  // Equal runs get the same number.
  uint32_t NumberOf(Run run) {
    const auto number = static_cast<uint32_t>(runs_.size());
    const auto [entry, is_new] = numbers_.try_emplace(std::move(run), number);
    if (is_new) runs_.push_back(&entry->first);
    if (runs_.size() >= kTrieNone) FailTooLarge();
    return entry->second;
  }

  [[noreturn]] static void FailTooLarge() {
    FailWith("A trie has more than 4 million nodes.");
  }

  std::vector<Entry> entries_;
  std::map<Run, uint32_t> numbers_;
  std::vector<const Run*> runs_;  // By number.
  std::vector<uint32_t> places_;  // By number; 0: none yet.
};

// Adds the entries that begin with `key`; nodes[index] is their first node.
void AddEntries(std::span<const uint32_t> nodes, size_t index, std::string& key,
                std::map<std::string, uint32_t>& entries) {
  const uint32_t node = nodes[index];
  const uint32_t payload = TriePayload(node);
  if ((node & kTrieLeaf) != 0) {
    if (payload != kTrieNone) entries.emplace_hint(entries.end(), key, payload);
    return;
  }
  for (size_t child = payload;; ++child) {
    const uint32_t label = TrieLabel(nodes[child]);
    if (label != 0) key.push_back(static_cast<char>(label));
    AddEntries(nodes, child, key, entries);
    if (label != 0) key.pop_back();
    if ((nodes[child] & kTrieLast) != 0) return;
  }
}

}  // namespace

std::map<std::string, uint32_t> TrieEntries(std::span<const uint32_t> nodes) {
  std::map<std::string, uint32_t> entries;
  if (nodes.empty()) return entries;
  for (size_t first = 0; first < kTrieFirstLevel; ++first) {
    std::string key(1, static_cast<char>(first));
    AddEntries(nodes, first, key, entries);
  }
  return entries;
}

std::vector<uint32_t> BuildTrie(
    const std::map<std::string, uint32_t>& entries) {
  if (entries.empty()) return {};
  return TrieBuilder(entries).Build();
}

}  // namespace latimer
