#include "text/trie.h"

namespace latimer {

TrieMatch LongestMatch(std::span<const uint32_t> nodes, std::string_view text) {
  TrieMatch match;
  if (nodes.empty()) return match;
  TrieWalk walk(nodes);
  text = text.substr(0, kMaxTrieKeyBytes);
  for (size_t i = 0; i < text.size(); ++i) {
    if (!walk.Step(static_cast<uint8_t>(text[i]))) break;
    if (walk.value() != kTrieNone) match = {walk.value(), i + 1};
  }
  return match;
}

TrieMatch ShortestMatch(std::span<const uint32_t> nodes,
                        std::string_view text) {
  if (nodes.empty()) return {};
  TrieWalk walk(nodes);
  text = text.substr(0, kMaxTrieKeyBytes);
  for (size_t i = 0; i < text.size(); ++i) {
    if (!walk.Step(static_cast<uint8_t>(text[i]))) break;
    if (walk.value() != kTrieNone) return {walk.value(), i + 1};
  }
  return {};
}

uint32_t FindKey(std::span<const uint32_t> nodes, std::string_view key) {
  if (nodes.empty() || key.empty()) return kTrieNone;
  TrieWalk walk(nodes);
  for (const char c : key) {
    if (!walk.Step(static_cast<uint8_t>(c))) return kTrieNone;
  }
  return walk.value();
}

namespace {

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
