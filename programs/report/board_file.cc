#include "report/board_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

#include "latimer/board_list.h"
#include "os/system.h"

namespace latimer {
namespace {

constexpr size_t kMostBytes = 65'536;
constexpr const char* kWords[] = {"TRIPLE",    "CPU",
                                  "ISAS",      "TILE",
                                  "RAM_MIB",   "THREADS",
                                  "SPEED",     "MACHINE",
                                  "QEMU",      "NEEDS",
                                  "RAM_KIB",   "EXAMPLE",
                                  "FLASH_MIB", "NO_PRUNED_ARGMAX"};

// What stands behind each word of latimer_board(); CMake's white space, quotes
// and comments are understood.
using Words = std::map<std::string, std::vector<std::string>>;

bool IsWord(const std::string& text) {
  return std::ranges::any_of(kWords,
                             [&](const char* word) { return text == word; });
}

// Returns false if there is no latimer_board(...).
bool FindWords(const std::string& text, Words* words) {
  std::string code;
  bool in_comment = false;
  for (const char c : text) {
    in_comment = c != '\n' && (in_comment || c == '#');
    code += in_comment ? ' ' : c;
  }
  constexpr char kName[] = "latimer_board(";
  const size_t begin = code.find(kName);
  const size_t end = code.find(')', begin);
  if (begin == code.npos || end == code.npos) return false;
  std::string rest =
      code.substr(begin + std::strlen(kName), end - begin - std::strlen(kName));
  std::vector<std::string>* values = nullptr;
  constexpr char kSpace[] = " \t\r\n\"";
  for (size_t at = 0; (at = rest.find_first_not_of(kSpace, at)) != rest.npos;) {
    const size_t next = std::min(rest.find_first_of(kSpace, at), rest.size());
    const std::string word = rest.substr(at, next - at);
    at = next;
    if (IsWord(word)) {
      values = &(*words)[word];
    } else if (values == nullptr) {
      return false;
    } else {
      values->push_back(word);
    }
  }
  return true;
}

// A whole number from 1; 0: it is none.
uint64_t NumberOf(const std::string& text, uint64_t most) {
  uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return 0;
    number = number * 10 + static_cast<uint64_t>(c - '0');
    if (number > most) return 0;
  }
  return number;
}

// A word of another board, so that a mistake in it is seen.
bool IsKnownTile(const std::string& tile) {
  return std::ranges::any_of(
      kBoards, [&](const Board& board) { return tile == board.tile; });
}

}  // namespace

bool IsBoardFile(const std::string& name) { return name.ends_with(".cmake"); }

std::string ParseBoardFile(const std::string& path, const std::string& text,
                           BoardFile* out) {
  const auto wrong = [&](const std::string& what) {
    return path + ": " + what;
  };
  Words words;
  if (!FindWords(text, &words)) {
    return wrong("has no latimer_board(TRIPLE ...), as board files have.");
  }
  const auto number = [&](const char* word, uint64_t most, uint64_t* value) {
    const auto found = words.find(word);
    if (found == words.end()) return true;
    *value = found->second.size() == 1 ? NumberOf(found->second[0], most) : 0;
    return *value > 0;
  };
  uint64_t ram_mib = 0, ram_kib = 0, threads = 1, flash = 0;
  constexpr uint64_t kMostMib = uint64_t{1} << 24;
  if (!number("RAM_MIB", kMostMib, &ram_mib) ||
      !number("RAM_KIB", kMostMib, &ram_kib) ||
      (ram_mib == 0) == (ram_kib == 0)) {
    return wrong(
        "give RAM_MIB, the MiB of RAM that translation may use, or, of less "
        "than one, RAM_KIB.");
  }
  if (!number("THREADS", 64, &threads)) {
    return wrong("give THREADS from 1 to 64.");
  }
  if (!number("FLASH_MIB", kMostMib, &flash)) {
    return wrong("give FLASH_MIB, the MiB for code and model.");
  }
  const std::vector<std::string>& tile = words["TILE"];
  if (tile.size() != 1 || !IsKnownTile(tile[0])) {
    return wrong("TILE must be a tile that kernels read, such as 8x2s4.");
  }
  if (words["ISAS"].empty()) {
    return wrong("give ISAS, the instruction sets of the kernels.");
  }
  const std::vector<std::string>& speed = words["SPEED"];
  const bool right_count =
      speed.empty() || speed.size() == 3 || speed.size() == 4;
  uint64_t figures[4] = {};
  for (size_t i = 0; right_count && i < speed.size(); ++i) {
    figures[i] = NumberOf(speed[i], UINT32_MAX);
  }
  if (!right_count || std::count(figures, figures + speed.size(), 0u) > 0) {
    return wrong(
        "SPEED has three or four numbers: MHz, MB/s, cycles for 1,000 bytes "
        "and, for speech, cycles for 1,000 multiplications.");
  }
  out->name = path.substr(path.find_last_of("/\\") + 1);
  out->name.resize(out->name.size() - std::strlen(".cmake"));
  out->tile = tile[0];
  out->isas.clear();
  for (const std::string& isa : words["ISAS"]) {
    out->isas += (out->isas.empty() ? "" : " ") + isa;
  }
  out->board = {.name = out->name.c_str(),
                .ram_bytes = (ram_mib << 20) + (ram_kib << 10),
                .threads = static_cast<uint32_t>(threads),
                .tile = out->tile.c_str(),
                .isas = out->isas.c_str(),
                .flash_bytes = flash << 20,
                .pruned_argmax = !words.contains("NO_PRUNED_ARGMAX"),
                .clock_mhz = static_cast<uint32_t>(figures[0]),
                .read_mb_s = static_cast<uint32_t>(figures[1]),
                .cycles_per_kb = static_cast<uint32_t>(figures[2]),
                .cycles_per_1000 = static_cast<uint32_t>(figures[3])};
  return "";
}

std::string ReadBoardFile(const std::string& path, BoardFile* out) {
  std::FILE* const file = cli::OpenStream(path.c_str(), "rb");
  std::string text(kMostBytes, '\0');
  errno = file == nullptr ? errno : 0;
  text.resize(file == nullptr ? 0
                              : std::fread(text.data(), 1, text.size(), file));
  const int error = errno;
  if (file != nullptr) std::fclose(file);
  if (file == nullptr || error != 0) {
    return path + ": cannot be read (" + std::strerror(error) + ").";
  }
  return ParseBoardFile(path, text, out);
}

}  // namespace latimer
