#include "cli/isas.h"

#include <cstring>

#include "cli/cpu_features.h"
#include "latimer/board_list.h"

namespace latimer::cli {
namespace {

// Whether the CPU has all that the kernels of an instruction set need; not one
// of another architecture.
bool CpuHasIsa(const std::string& isa) {
  bool known = false;
  for (int i = 0; i < kCpuFeatureCount; ++i) {
    if (isa != kCpuFeatures[i].isa) continue;
    if (!CpuHas(kCpuFeatures[i])) return false;
    known = true;
  }
  return known;
}

std::vector<std::string> Had(const std::vector<std::string>& isas) {
  std::vector<std::string> had;
  for (const std::string& isa : isas) {
    if (CpuHasIsa(isa)) had.push_back(isa);
  }
  return had;
}

std::vector<std::string> Words(const char* text) {
  std::vector<std::string> words;
  while (*text != '\0') {
    const size_t length = std::strcspn(text, " ");
    words.emplace_back(text, length);
    text += length + std::strspn(text + length, " ");
  }
  return words;
}

}  // namespace

std::vector<std::string> IsasInBuild() {
  std::vector<std::string> isas;
  for (int i = 0; i < kCpuFeatureCount; ++i) {
    const CpuFeature& feature = kCpuFeatures[i];
    if (!feature.kernels) continue;
    if (isas.empty() || isas.back() != feature.isa) {
      isas.emplace_back(feature.isa);
    }
  }
  return isas;
}

std::vector<std::string> UsableIsas() { return Had(IsasInBuild()); }

std::vector<std::string> NewerIsas() {
  std::vector<std::string> newer;
  for (int i = 0; i < kCpuFeatureCount; ++i) {
    const CpuFeature& feature = kCpuFeatures[i];
    if (*feature.isa == '\0') continue;
    if (feature.kernels) {
      newer.clear();
    } else if (newer.empty() || newer.back() != feature.isa) {
      newer.emplace_back(feature.isa);
    }
  }
  return Had(newer);
}

const Board* BoardFor(const std::string& isa) {
  const Board* best = nullptr;
  size_t most = 0;
  for (const Board& board : kBoards) {
    const std::vector<std::string> words = Words(board.isas);
    bool uses = false;
    for (const std::string& word : words) uses = uses || word == isa;
    if (uses && Had(words).size() == words.size() && words.size() > most) {
      best = &board;
      most = words.size();
    }
  }
  return best;
}

}  // namespace latimer::cli
