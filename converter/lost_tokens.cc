#include "converter/lost_tokens.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "converter/text_tokenizer.h"

namespace latimer {
namespace {

using Ids = std::vector<int32_t>;

class Finder {
 public:
  Finder(const TokenizerData& whole, const TokenizerData& pruned,
         const std::vector<uint32_t>& kept)
      : data_(whole), whole_(whole), pruned_(pruned), kept_(kept) {}

  void Read(const std::string& line) {
    const Ids before = whole_.Encode(line);
    Ids now = pruned_.Encode(line);
    // Compares in ids of the whole vocabulary.
    for (int32_t& id : now) {
      id = static_cast<int32_t>(kept_[static_cast<size_t>(id)]);
    }
    ++result_.lines;
    result_.tokens += before.size();
    for (const int32_t id : before) {
      if (IsKept(id)) continue;
      ++result_.lost;
      different_.insert(id);
    }
    if (before != now) {
      ++result_.changed_lines;
      NoteDifferences(before, now);
    }
  }

  LostTokens Result(size_t most_examples) {
    result_.different = different_.size();
    std::vector<std::pair<Key, size_t>> sorted(counts_.begin(), counts_.end());
    std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) {
      return a.second > b.second;
    });
    sorted.resize(std::min(sorted.size(), most_examples));
    for (const auto& [key, count] : sorted) {
      result_.examples.push_back(
          {PiecesOf(key.first), PiecesOf(key.second), count});
    }
    return result_;
  }

 private:
  using Key = std::pair<Ids, Ids>;

  bool IsKept(int32_t id) const {
    return std::ranges::binary_search(kept_, static_cast<uint32_t>(id));
  }

  // Tokens [begin, end) of one and [now_begin, now_end) of the other sequence.
  struct Difference {
    size_t begin, end, now_begin, now_end;
  };

  void NoteDifferences(const Ids& before, const Ids& now) {
    for (size_t i = 0, j = 0; i < before.size() || j < now.size();) {
      if (i < before.size() && j < now.size() && before[i] == now[j]) {
        ++i, ++j;
        continue;
      }
      const Difference d = FindEnd(before, i, now, j);
      const auto part = [](const Ids& ids, size_t begin, size_t end) {
        return Ids(ids.begin() + static_cast<ptrdiff_t>(begin),
                   ids.begin() + static_cast<ptrdiff_t>(end));
      };
      ++counts_[{part(before, d.begin, d.end),
                 part(now, d.now_begin, d.now_end)}];
      i = d.end;
      j = d.now_end;
    }
  }

  // The shortest runs from (i, j) on that stand for the same text and are
  // followed by the same token.
  Difference FindEnd(const Ids& before, size_t i, const Ids& now,
                     size_t j) const {
    const size_t most = before.size() - i + now.size() - j;
    for (size_t sum = 2; sum < most; ++sum) {
      for (size_t count = 1; count < sum; ++count) {
        const size_t end = i + count, now_end = j + sum - count;
        if (end < before.size() && now_end < now.size() &&
            before[end] == now[now_end] &&
            SameText(std::span(before).subspan(i, count),
                     std::span(now).subspan(j, sum - count))) {
          return {i, end, j, now_end};
        }
      }
    }
    return {i, before.size(), j, now.size()};
  }

  // Whether both can be the same text; unknown tokens and bytes can be any.
  bool SameText(std::span<const int32_t> before,
                std::span<const int32_t> now) const {
    const auto text = [this](std::span<const int32_t> ids) {
      std::optional<std::string> joined = "";
      for (const int32_t id : ids) {
        if (IsAnyText(id)) return std::optional<std::string>();
        joined->append(whole_.pieces()[static_cast<size_t>(id)]);
      }
      return joined;
    };
    const std::optional<std::string> a = text(before), b = text(now);
    return !a || !b || *a == *b;
  }

  bool IsAnyText(int32_t id) const {
    return id == data_.unknown_id ||
           std::ranges::find(data_.byte_ids, id) != data_.byte_ids.end() ||
           whole_.pieces()[static_cast<size_t>(id)].empty();
  }

  std::vector<std::string> PiecesOf(const Ids& ids) const {
    std::vector<std::string> pieces;
    for (const int32_t id : ids) {
      const std::string& piece = whole_.pieces()[static_cast<size_t>(id)];
      std::string number = "<";
      number.append(std::to_string(id)).append(">");
      pieces.push_back(piece.empty() ? number : piece);
    }
    return pieces;
  }

  const TokenizerData& data_;  // The whole.
  TextTokenizer whole_, pruned_;
  const std::vector<uint32_t>& kept_;
  LostTokens result_;
  std::set<int32_t> different_;
  std::map<Key, size_t> counts_;
};

}  // namespace

LostTokens FindLostTokens(const std::vector<std::string>& lines,
                          const TokenizerData& whole,
                          const TokenizerData& pruned,
                          const std::vector<uint32_t>& kept,
                          size_t most_examples) {
  Finder finder(whole, pruned, kept);
  for (const std::string& line : lines) finder.Read(line);
  return finder.Result(most_examples);
}

}  // namespace latimer
