#include "cli/isas.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/cpu.h"
#include "base/cpu_table.h"
#include "latimer/board_list.h"

namespace latimer::cli {
namespace {

std::span<const Isa> Isas() { return {kIsas, static_cast<size_t>(kIsaCount)}; }

// False for those of another architecture.
bool CpuHas(const std::string& name) {
  const CpuFeatures cpu = DetectCpuFeatures();
  return std::ranges::any_of(Isas(), [&](const Isa& isa) {
    return isa.name == name && cpu.*isa.usable;
  });
}

std::vector<std::string> UsableOf(std::vector<std::string> isas) {
  std::erase_if(isas, [](const std::string& isa) { return !CpuHas(isa); });
  return isas;
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
  for (const Isa& isa : Isas()) {
    if (isa.in_build) isas.emplace_back(isa.name);
  }
  return isas;
}

std::vector<std::string> UsableIsas() { return UsableOf(IsasInBuild()); }

std::vector<std::string> NewerIsas() {
  std::vector<std::string> newer;
  for (const Isa& isa : Isas()) {
    if (isa.in_build) {
      newer.clear();
    } else {
      newer.emplace_back(isa.name);
    }
  }
  return UsableOf(newer);
}

const Board* BoardFor(const std::string& isa) {
  const Board* best = nullptr;
  size_t most = 0;
  for (const Board& board : kBoards) {
    const std::vector<std::string> isas = Words(board.isas);
    if (std::ranges::find(isas, isa) != isas.end() && isas.size() > most &&
        std::ranges::all_of(isas, CpuHas)) {
      best = &board;
      most = isas.size();
    }
  }
  return best;
}

}  // namespace latimer::cli
