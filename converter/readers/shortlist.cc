#include "converter/readers/shortlist.h"

#include <algorithm>
#include <map>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "converter/error.h"
#include "converter/input_file.h"
#include "converter/readers/compressed.h"
#include "converter/readers/text_file.h"

namespace latimer {
namespace {

constexpr uint64_t kShortlistMagic = 0xF11A48D5013417F5;

struct Header {
  uint64_t magic;
  uint64_t checksum;  // Of all that follows.
  uint64_t first;
  uint64_t best;
  uint64_t offsets;
  uint64_t tokens;
};

// hashMem of browsermt's src/common/hash.h over whole words of 8 bytes.
uint64_t Checksum(std::span<const std::byte> bytes) {
  uint64_t seed = 0;
  for (uint64_t i = 0; i < bytes.size() / sizeof(uint64_t); ++i) {
    seed ^= Load<uint64_t>(bytes, i) + 0x9e3779b9 + (seed << 6) + (seed >> 2);
  }
  return seed;
}

class ShortlistReader {
 public:
  ShortlistReader(const std::filesystem::path& path,
                  const ShortlistSides& sides)
      : path_(path.string()), sides_(sides) {
    out_.copies_source = sides.same_vocabulary;
  }

  CanonicalShortlist ReadBinary(std::span<const std::byte> bytes) {
    const auto header = Load<Header>(bytes);
    const auto arrays = bytes.subspan(sizeof(Header));
    // Divides, because products of the file's numbers could overflow.
    if (header.offsets > arrays.size() / sizeof(uint64_t) ||
        header.tokens > arrays.size() / sizeof(uint32_t) ||
        header.offsets * sizeof(uint64_t) + header.tokens * sizeof(uint32_t) !=
            arrays.size()) {
      FailIn(path_, "the file is truncated or damaged; copy it again");
    }
    constexpr size_t kChecked = 2 * sizeof(uint64_t);
    if (Checksum(bytes.subspan(kChecked)) != header.checksum) {
      FailIn(path_, "the file is damaged: its checksum differs; copy it again");
    }
    if (header.offsets > uint64_t{sides_.source_vocabulary} + 1) {
      FailIn(path_, "has lists for ", header.offsets - 1,
             " words, but the source vocabulary has ", sides_.source_vocabulary,
             "; the files do not belong together");
    }
    out_.first = static_cast<uint32_t>(
        std::min<uint64_t>(header.first, sides_.target_vocabulary));
    uint64_t before = 0;
    for (uint64_t i = 0; i < header.offsets; ++i) {
      const auto offset = Load<uint64_t>(arrays, i);
      if (offset < before || offset > header.tokens) {
        FailIn(path_, "is damaged");
      }
      before = offset;
      out_.offsets.push_back(static_cast<uint32_t>(offset));
    }
    if (before != header.tokens) FailIn(path_, "is damaged");
    // The lists end with the last word that has one.
    out_.offsets.resize(size_t{sides_.source_vocabulary} + 1,
                        static_cast<uint32_t>(before));
    const auto tokens = arrays.subspan(header.offsets * sizeof(uint64_t));
    for (uint64_t i = 0; i < header.tokens; ++i) {
      const auto token = Load<uint32_t>(tokens, i);
      if (token >= sides_.target_vocabulary) {
        FailIn(path_, "names target id ", token,
               ", but the target vocabulary has ", sides_.target_vocabulary,
               " words; the files do not belong together");
      }
      out_.tokens.push_back(static_cast<uint16_t>(token));
    }
    return std::move(out_);
  }

  CanonicalShortlist ReadText(std::span<const std::byte> bytes,
                              const ShortlistLimits& limits) {
    std::vector<std::map<uint32_t, float>> lists(sides_.source_vocabulary);
    size_t line_number = 0;
    for (const std::string_view line : SplitLines(AsText(bytes))) {
      AddLine(std::string(line), ++line_number, &lists);
    }
    out_.first = std::min(limits.first, sides_.target_vocabulary);
    out_.offsets.push_back(0);
    for (const auto& list : lists) AddBest(list, limits);
    return std::move(out_);
  }

 private:
  // "TARGET SOURCE PROBABILITY". The larger probability of duplicates counts.
  void AddLine(const std::string& line, size_t number,
               std::vector<std::map<uint32_t, float>>* lists) {
    std::istringstream fields(line);
    std::string target, source;
    float probability = 0;
    if (!(fields >> target)) return;  // Empty.
    if (!(fields >> source >> probability)) {
      FailIn(path_, "line ", number,
             " is not a target word, a source word and a probability");
    }
    if (target == "NULL" || source == "NULL") return;
    float& known = (*lists)[sides_.source_id(source)][sides_.target_id(target)];
    known = std::max(known, probability);
  }

  void AddBest(const std::map<uint32_t, float>& list,
               const ShortlistLimits& limits) {
    std::vector<std::pair<float, uint32_t>> candidates;
    for (const auto& [token, probability] : list) {
      if (probability > limits.threshold) {
        candidates.emplace_back(probability, token);
      }
    }
    std::ranges::sort(candidates, std::greater<>());
    if (candidates.size() > limits.best) candidates.resize(limits.best);
    const auto begin = static_cast<std::ptrdiff_t>(out_.tokens.size());
    for (const auto& [probability, token] : candidates) {
      out_.tokens.push_back(static_cast<uint16_t>(token));
    }
    std::sort(out_.tokens.begin() + begin, out_.tokens.end());
    out_.offsets.push_back(static_cast<uint32_t>(out_.tokens.size()));
  }

  std::string path_;
  const ShortlistSides& sides_;
  CanonicalShortlist out_;
};

}  // namespace

CanonicalShortlist ReadShortlist(const std::filesystem::path& path,
                                 const ShortlistLimits& limits,
                                 const ShortlistSides& sides) {
  ShortlistReader reader(path, sides);
  constexpr uint32_t kMaxTarget = 65536;
  if (sides.target_vocabulary > kMaxTarget) {
    FailIn(path, "a target vocabulary of ", sides.target_vocabulary,
           " words is too large for a shortlist, whose ids have 16 bits; "
           "convert without it");
  }
  const InputFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  RefuseStandIns(path, AsText(bytes));
  if (bytes.size() >= sizeof(Header) &&
      Load<uint64_t>(bytes) == kShortlistMagic) {
    return reader.ReadBinary(bytes);
  }
  return reader.ReadText(bytes, limits);
}

}  // namespace latimer
