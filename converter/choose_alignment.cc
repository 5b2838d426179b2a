#include "converter/choose_alignment.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "converter/error.h"
#include "internals.h"
#include "latimer/translator.h"
#include "model/generation.h"

namespace latimer {
namespace {

// U+2581, SentencePiece's space.
constexpr std::string_view kWordStart = "\xE2\x96\x81";

struct SharedWord {
  size_t occurrences = 0;
  std::vector<size_t> tokens;
};

// The words of some pieces, without marks at their ends, with their tokens.
std::map<std::string, SharedWord> SharedWords(
    const std::vector<std::string>& pieces) {
  std::map<std::string, SharedWord> words;
  std::string word;
  std::vector<size_t> tokens;
  const auto end_word = [&] {
    const auto is_mark = [](char c) {
      return std::ispunct(static_cast<unsigned char>(c)) != 0;
    };
    while (!word.empty() && is_mark(word.back())) word.pop_back();
    while (!word.empty() && is_mark(word.front())) word.erase(0, 1);
    if (word.size() > 1) {
      SharedWord& found = words[word];
      ++found.occurrences;
      found.tokens = tokens;
    }
    word.clear();
    tokens.clear();
  };
  for (size_t i = 0; i < pieces.size(); ++i) {
    std::string_view piece = pieces[i];
    if (piece.starts_with(kWordStart)) {
      end_word();
      piece.remove_prefix(kWordStart.size());
    }
    word += piece;
    tokens.push_back(i);
  }
  end_word();
  return words;
}

// How often each choice of a layer, a head and a step was right.
class Scores {
 public:
  Scores(uint32_t layers, uint32_t heads)
      : layers_(layers), heads_(heads), right_(layers * (heads + 1) * 2) {}

  // A token of a shared word, which is the tokens `same` of the source.
  void Add(const AttentionWeights& attention, size_t token, size_t begin,
           size_t end, const std::vector<size_t>& same) {
    ++tokens_;
    for (uint32_t layer = 0; layer < layers_; ++layer) {
      for (uint32_t head = 0; head <= heads_; ++head) {
        for (const size_t reads : {0, 1}) {
          if (token + reads >= attention.rows) continue;
          const size_t best =
              MostAttended(attention, layer, head, token + reads, begin, end);
          right_[(layer * (heads_ + 1) + head) * 2 + reads] +=
              static_cast<size_t>(std::ranges::count(same, best - begin));
        }
      }
    }
  }

  ChosenAlignment Best() const {
    // Of equal ones the last: a mean of heads, of a later layer.
    size_t best = 0;
    for (size_t i = 0; i < right_.size(); ++i) {
      if (right_[i] >= right_[best]) best = i;
    }
    const auto choice = static_cast<uint32_t>(best / 2);
    const uint32_t head = choice % (heads_ + 1);
    return {.head = {.layer = choice / (heads_ + 1),
                     .head = head == heads_ ? -1 : static_cast<int32_t>(head),
                     .reads = best % 2 == 1},
            .tokens = tokens_,
            .right = right_[best]};
  }

 private:
  // Head number heads_ stands for the mean of all.
  size_t MostAttended(const AttentionWeights& attention, uint32_t layer,
                      uint32_t head, size_t row, size_t begin,
                      size_t end) const {
    size_t best = begin;
    float most = -1;
    for (size_t i = begin; i < end; ++i) {
      float sum = 0;
      for (uint32_t h = 0; h < heads_; ++h) {
        if (head == heads_ || head == h) {
          sum += attention.Row(layer, h, row)[i];
        }
      }
      if (sum > most) {
        most = sum;
        best = i;
      }
    }
    return best;
  }

  uint32_t layers_;
  uint32_t heads_;
  std::vector<size_t> right_;
  size_t tokens_ = 0;
};

void AddPart(const Translator& translator, const Translation& translation,
             std::optional<Scores>* scores) {
  const AttentionWeights& attention = translation.attention;
  if (attention.layers == 0) return;
  if (!scores->has_value()) scores->emplace(attention.layers, attention.heads);
  const GenerationConfig& config = Internals::Describe(translator).generation;
  const size_t begin = config.source_prefix.size();
  const size_t end = WithoutPads(config, translation.source).size() -
                     config.source_suffix.size();
  if (begin >= end) return;
  std::vector<std::string> source, target;
  std::vector<char> buffer(Translator::kMaxPieceBytes);
  for (size_t i = begin; i < end; ++i) {
    source.emplace_back(translator.SourcePiece(translation.source[i], buffer));
  }
  for (const int32_t id : translation.tokens) {
    if (id != config.eos) target.emplace_back(translator.TargetPiece(id));
  }
  const std::map<std::string, SharedWord> source_words = SharedWords(source);
  for (const auto& [word, in_target] : SharedWords(target)) {
    const auto found = source_words.find(word);
    if (found == source_words.end() || found->second.occurrences != 1 ||
        in_target.occurrences != 1) {
      continue;
    }
    for (const size_t token : in_target.tokens) {
      (*scores)->Add(attention, token, begin, end, found->second.tokens);
    }
  }
}

}  // namespace

std::optional<ChosenAlignment> ChooseAlignment(
    std::span<const std::byte> file, const std::filesystem::path& text) {
  std::ifstream lines(text, std::ios::binary);
  if (!lines.is_open()) FailIn(text, "cannot be opened");
  const std::unique_ptr<Workspace> workspace(new Workspace);  // Not zeroed.
  Translator translator;
  const Status loaded =
      translator.Load(file, workspace.get(), {.verify_checksum = false});
  if (!loaded.ok()) {
    FailWith("The finished model does not load: ", loaded.message());
  }
  std::optional<Scores> scores;
  for (std::string line; std::getline(lines, line);) {
    TextCursor cursor(line, {.beams = 1, .attention = AttentionKind::kCross});
    while (!cursor.done()) {
      const Result<Translation> part = translator.TranslateNext(cursor);
      // What has too much attention to keep is left out.
      if (part.status().code() == StatusCode::kTextTooLong) break;
      if (!part.ok()) FailIn(text, part.status().message());
      AddPart(translator, *part, &scores);
    }
  }
  if (!scores) return std::nullopt;
  const ChosenAlignment best = scores->Best();
  if (best.tokens < kLeastSharedTokens) return std::nullopt;
  return best;
}

}  // namespace latimer
