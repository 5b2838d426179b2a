#include "text/trie.h"

#include <algorithm>

namespace latimer {
namespace {

TrieMatch Match(std::span<const uint32_t> nodes, std::string_view text,
                bool longest) {
  TrieMatch match;
  if (nodes.empty()) return match;
  TrieWalk walk(nodes);
  const size_t limit = std::min(text.size(), kMaxTrieKeyBytes);
  for (size_t i = 0; i < limit && (longest || match.bytes == 0); ++i) {
    if (!walk.Step(static_cast<uint8_t>(text[i]))) break;
    if (walk.value() != kTrieNone) match = {walk.value(), i + 1};
  }
  return match;
}

bool IsLeaf(uint32_t node) { return (node & kTrieLeaf) != 0; }
bool IsLast(uint32_t node) { return (node & kTrieLast) != 0; }

// What is wrong with nodes[i], or null. The nodes from kTrieFirstLevel on are
// runs of siblings.
const char* FindFault(std::span<const uint32_t> nodes, size_t i,
                      size_t value_limit) {
  const uint32_t node = nodes[i];
  const uint32_t payload = TriePayload(node);
  if (i < kTrieFirstLevel) {
    if (IsLeaf(node) && payload == kTrieNone) return nullptr;
    if (i == 0 || TrieLabel(node) != i) return "wrong label";
  } else {
    const bool first = i == kTrieFirstLevel || IsLast(nodes[i - 1]);
    if (!first && TrieLabel(node) <= TrieLabel(nodes[i - 1])) {
      return "disordered children";
    }
    const bool ends_prefix = TrieLabel(node) == 0;
    if (ends_prefix && (IsLast(node) || !IsLeaf(node))) return "wrong label";
  }
  if (IsLeaf(node)) {
    return payload < value_limit ? nullptr : "value out of range";
  }
  const bool run_begins =
      payload == kTrieFirstLevel ||
      (payload > kTrieFirstLevel && payload < nodes.size() &&
       IsLast(nodes[payload - 1]));
  return run_begins && payload < nodes.size() ? nullptr : "wrong child index";
}

}  // namespace

TrieMatch LongestMatch(std::span<const uint32_t> nodes, std::string_view text) {
  return Match(nodes, text, /*longest=*/true);
}

TrieMatch ShortestMatch(std::span<const uint32_t> nodes,
                        std::string_view text) {
  return Match(nodes, text, /*longest=*/false);
}

uint32_t FindKey(std::span<const uint32_t> nodes, std::string_view key) {
  if (nodes.empty() || key.empty()) return kTrieNone;
  TrieWalk walk(nodes);
  for (const char c : key) {
    if (!walk.Step(static_cast<uint8_t>(c))) return kTrieNone;
  }
  return walk.value();
}

std::string_view KeyOfValue(std::span<const uint32_t> nodes, uint32_t value,
                            std::span<char> out) {
  // Depth first, without recursion: siblings[d] is the current node of level d.
  uint32_t siblings[kMaxTrieKeyBytes + 1];
  // Shared runs are visited several times; a damaged trie may lead in a circle.
  const size_t most_steps = 16 * nodes.size();
  size_t steps = 0;
  for (uint32_t first = 0; first < kTrieFirstLevel && first < nodes.size();
       ++first) {
    if (TriePayload(nodes[first]) == kTrieNone) continue;
    size_t depth = 0;
    siblings[0] = first;
    for (;;) {
      if (++steps > most_steps) return {};
      const uint32_t node = nodes[siblings[depth]];
      // On the first level the slot is the label. Elsewhere 0 marks the end of
      // a key that others begin with.
      const char label =
          static_cast<char>(depth == 0 ? first : TrieLabel(node));
      const size_t bytes = depth + (depth > 0 && label == 0 ? 0 : 1);
      if (bytes > out.size()) return {};
      if (bytes > depth) out[depth] = label;
      if (IsLeaf(node)) {
        if (TriePayload(node) == value) return {out.data(), bytes};
        while (depth > 0 && IsLast(nodes[siblings[depth]])) --depth;
        if (depth == 0) break;
        ++siblings[depth];
      } else {
        if (depth == kMaxTrieKeyBytes) return {};
        siblings[++depth] = TriePayload(node);
      }
    }
  }
  return {};
}

Status ValidateTrie(std::span<const uint32_t> nodes, size_t value_limit,
                    const char* name) {
  if (nodes.empty()) return Status();
  const auto corrupt = [name](const char* what, size_t index) {
    return Status::Error(StatusCode::kCorrupt,
                         "The tokenizer's %s is damaged: %s at node %zu; "
                         "convert the model again.",
                         name, what, index);
  };
  if (nodes.size() < kTrieFirstLevel || nodes.size() > kTrieNone) {
    return corrupt("its size is out of range", nodes.size());
  }
  if (nodes.size() > kTrieFirstLevel && !IsLast(nodes.back())) {
    return corrupt("children without end", nodes.size() - 1);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    const char* fault = FindFault(nodes, i, value_limit);
    if (fault != nullptr) return corrupt(fault, i);
  }
  return Status();
}

}  // namespace latimer
