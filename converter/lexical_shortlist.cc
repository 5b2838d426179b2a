#include "converter/lexical_shortlist.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "converter/error.h"
#include "converter/readers/text_file.h"
#include "converter/text_tokenizer.h"

namespace latimer {
namespace {

constexpr int kIterations = 5;
constexpr uint32_t kMaxTarget = 65536;  // Ids of a shortlist have 16 bits.

// Model 1's table, with the counts of an iteration. Each row has the target
// tokens that occur with one source token; the last row belongs to NULL.
class Model1 {
 public:
  Model1(std::span<const SentencePair> pairs, uint32_t source_vocabulary)
      : pairs_(pairs), rows_(source_vocabulary + 1) {
    for (const SentencePair& pair : pairs) {
      for (const uint32_t source : WithNull(pair)) {
        std::vector<uint32_t>& tokens = rows_[source].tokens;
        tokens.insert(tokens.end(), pair.target.begin(), pair.target.end());
        // Doing this only at the end would take much memory for frequent
        // tokens.
        if (tokens.size() > 2 * rows_[source].unique + kSlack) {
          Unique(rows_[source]);
        }
      }
    }
    for (Row& row : rows_) {
      Unique(row);
      row.probabilities.assign(row.tokens.size(),
                               1.0f / static_cast<float>(row.tokens.size()));
      row.counts.resize(row.tokens.size());
    }
  }

  void Iterate() {
    for (const SentencePair& pair : pairs_) {
      const std::vector<uint32_t> sources = WithNull(pair);
      for (const int32_t target : pair.target) Share(sources, target);
    }
    for (Row& row : rows_) {
      double sum = 0;
      for (const double count : row.counts) sum += count;
      for (size_t i = 0; i < row.counts.size(); ++i) {
        row.probabilities[i] =
            sum > 0 ? static_cast<float>(row.counts[i] / sum) : 0.0f;
        row.counts[i] = 0;
      }
    }
  }

  LexicalTable Table() const {
    LexicalTable table(rows_.size() - 1);
    for (size_t source = 0; source < table.size(); ++source) {
      const Row& row = rows_[source];
      for (size_t i = 0; i < row.tokens.size(); ++i) {
        table[source].emplace_back(row.tokens[i], row.probabilities[i]);
      }
    }
    return table;
  }

 private:
  static constexpr size_t kSlack = 4096;

  struct Row {
    std::vector<uint32_t> tokens;  // Ascending, each once.
    std::vector<float> probabilities;
    std::vector<double> counts;
    size_t unique = 0;
  };

  static void Unique(Row& row) {
    std::ranges::sort(row.tokens);
    const auto rest = std::unique(row.tokens.begin(), row.tokens.end());
    row.tokens.erase(rest, row.tokens.end());
    row.unique = row.tokens.size();
  }

  std::vector<uint32_t> WithNull(const SentencePair& pair) const {
    std::vector<uint32_t> sources(pair.source.begin(), pair.source.end());
    sources.push_back(static_cast<uint32_t>(rows_.size() - 1));
    return sources;
  }

  // Shares one occurrence of `target` among the sources that may have caused
  // it.
  void Share(const std::vector<uint32_t>& sources, int32_t target) {
    places_.clear();
    double sum = 0;
    for (const uint32_t source : sources) {
      const Row& row = rows_[source];
      places_.push_back(static_cast<size_t>(
          std::ranges::lower_bound(row.tokens, static_cast<uint32_t>(target)) -
          row.tokens.begin()));
      sum += row.probabilities[places_.back()];
    }
    if (!(sum > 0)) return;
    for (size_t i = 0; i < sources.size(); ++i) {
      Row& row = rows_[sources[i]];
      row.counts[places_[i]] += row.probabilities[places_[i]] / sum;
    }
  }

  std::span<const SentencePair> pairs_;
  std::vector<Row> rows_;
  std::vector<size_t> places_;
};

// The tokens of a line, and the first token of each word between spaces.
struct Line {
  std::vector<int32_t> tokens;
  std::vector<uint32_t> begins = {};
};

Line TokensOf(TextTokenizer& tokenizer, const std::string& text, bool words) {
  if (!words) return {tokenizer.Encode(text)};
  Line line;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    line.begins.push_back(static_cast<uint32_t>(line.tokens.size()));
    const std::vector<int32_t> tokens = tokenizer.Encode(word);
    line.tokens.insert(line.tokens.end(), tokens.begin(), tokens.end());
  }
  line.begins.push_back(static_cast<uint32_t>(line.tokens.size()));
  return line;
}

// Parses "3-5"; nothing if it is not a link between words of both lines.
std::optional<std::pair<uint32_t, uint32_t>> LinkOf(std::string_view text,
                                                    const Line& source,
                                                    const Line& target) {
  uint32_t from = 0, to = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, from);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') {
    return std::nullopt;
  }
  const auto second = std::from_chars(first.ptr + 1, end, to);
  if (second.ec != std::errc() || second.ptr != end ||
      from + size_t{1} >= source.begins.size() ||
      to + size_t{1} >= target.begins.size()) {
    return std::nullopt;
  }
  return {{from, to}};
}

// Links all tokens of the words that `text` links.
void AddLinks(const std::string& text, const Line& source, const Line& target,
              const std::string& place, SentencePair* pair) {
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    const auto link = LinkOf(word, source, target);
    if (!link) {
      FailIn(place, "'", word,
             "' is not a link between words of both lines; give pairs like 0-0 "
             "1-2, counted from 0");
    }
    for (uint32_t i = source.begins[link->first];
         i < source.begins[link->first + 1]; ++i) {
      for (uint32_t j = target.begins[link->second];
           j < target.begins[link->second + 1]; ++j) {
        pair->links.emplace_back(i, j);
      }
    }
  }
}

void CheckLines(const std::filesystem::path& a, size_t lines_of_a,
                const std::filesystem::path& b, size_t lines_of_b) {
  if (lines_of_a == lines_of_b) return;
  FailWith(a, " has ", lines_of_a, " lines and ", b, " has ", lines_of_b,
           "; each line must be the translation of the other's.");
}

std::vector<SentencePair> ReadPairs(const CanonicalModel& model,
                                    const ParallelText& text) {
  const std::vector<std::string> sources = ReadLines(text.source);
  const std::vector<std::string> targets = ReadLines(text.target);
  CheckLines(text.source, sources.size(), text.target, targets.size());
  const bool aligned = !text.alignment.empty();
  std::vector<std::string> alignments;
  if (aligned) {
    alignments = ReadLines(text.alignment);
    CheckLines(text.source, sources.size(), text.alignment, alignments.size());
  }
  const TokenizerData& data = *model.tokenizer;
  // The source's tokenizer may encode texts of the target too.
  std::optional<TokenizerData> target_data;
  if (data.target_text) target_data = data.target_text();
  TextTokenizer source_tokenizer(data);
  TextTokenizer target_tokenizer(target_data ? *target_data : data);
  std::vector<SentencePair> pairs;
  for (size_t i = 0; i < sources.size(); ++i) {
    Line source = TokensOf(source_tokenizer, sources[i], aligned);
    Line target = TokensOf(target_tokenizer, targets[i], aligned);
    if (source.tokens.empty() || target.tokens.empty()) continue;
    SentencePair& pair = pairs.emplace_back();
    if (aligned) {
      AddLinks(alignments[i], source, target,
               text.alignment.string() + ", line " + std::to_string(i + 1),
               &pair);
    }
    pair.source = std::move(source.tokens);
    pair.target = std::move(target.tokens);
  }
  if (pairs.empty()) {
    FailWith(text.source, " and ", text.target,
             " have no line with text in both.");
  }
  return pairs;
}

// The most frequent target tokens.
std::vector<uint32_t> MostFrequent(std::span<const SentencePair> pairs,
                                   uint32_t vocabulary, uint32_t count) {
  std::vector<std::pair<uint64_t, uint32_t>> tokens(vocabulary);
  for (uint32_t i = 0; i < vocabulary; ++i) tokens[i] = {0, vocabulary - i};
  for (const SentencePair& pair : pairs) {
    for (const int32_t id : pair.target)
      ++tokens[static_cast<size_t>(id)].first;
  }
  std::ranges::sort(tokens, std::greater<>());
  std::vector<uint32_t> first;
  for (const auto& [occurrences, id] : tokens) {
    if (first.size() == count || occurrences == 0) break;
    first.push_back(vocabulary - id);
  }
  return first;
}

// A warning if other texts have many source tokens that this one lacks. Their
// share is that of the tokens that stand in it once (Good, The Population
// Frequencies of Species, 1953).
void WarnOfUnseen(std::span<const SentencePair> pairs, uint32_t vocabulary,
                  const std::filesystem::path& path,
                  std::vector<std::string>* warnings) {
  constexpr double kMostPercent = 1;
  std::vector<uint32_t> counts(vocabulary);
  size_t tokens = 0;
  for (const SentencePair& pair : pairs) {
    tokens += pair.source.size();
    for (const int32_t id : pair.source) ++counts[static_cast<size_t>(id)];
  }
  const double percent = 100.0 *
                         static_cast<double>(std::ranges::count(counts, 1u)) /
                         static_cast<double>(tokens);
  if (percent <= kMostPercent) return;
  char share[16];
  std::snprintf(share, sizeof(share), "%.0f", percent);
  warnings->push_back(path.string() + " is short: about " + share +
                      " % of the tokens of other texts have no candidates of "
                      "their own and will be translated badly; give the "
                      "training text, or several 100,000 lines like those to "
                      "be translated");
}

// The most probable tokens of a row; the first ones of equals.
std::vector<uint32_t> Best(std::vector<std::pair<uint32_t, float>> row,
                           const ShortlistLimits& limits) {
  std::erase_if(row, [&](const auto& entry) {
    return !(entry.second > limits.threshold);
  });
  std::ranges::stable_sort(
      row, [](const auto& a, const auto& b) { return a.second > b.second; });
  if (row.size() > limits.best) row.resize(limits.best);
  std::vector<uint32_t> tokens;
  tokens.reserve(row.size());
  for (const auto& [token, probability] : row) tokens.push_back(token);
  return tokens;
}

// A token that every source has; -1: none.
int32_t EverySourceHas(const CanonicalGeneration& generation) {
  if (!generation.source_suffix.empty()) return generation.source_suffix[0];
  if (!generation.source_prefix.empty()) return generation.source_prefix[0];
  return -1;
}

void CheckModel(const CanonicalModel& model) {
  const uint32_t targets = model.architecture.target_vocabulary;
  if (!model.tokenizer) {
    FailWith(
        "A shortlist cannot be learned without the model's tokenizer; convert "
        "without --no-tokenizer.");
  }
  if (!model.tokenizer->target_text &&
      model.architecture.source_vocabulary != targets) {
    FailWith(
        "A shortlist cannot be learned because the model does not say how "
        "texts of the target language are tokenized; convert without "
        "--shortlist-text.");
  }
  if (model.shortlist) {
    FailWith(
        "The model already comes with a shortlist; convert without "
        "--shortlist-text, or remove that shortlist.");
  }
  if (targets > kMaxTarget) {
    FailWith("A target vocabulary of ", targets,
             " tokens is too large for a shortlist, whose ids have 16 bits; "
             "convert without --shortlist-text.");
  }
}

}  // namespace

LexicalTable LearnModel1(std::span<const SentencePair> pairs,
                         uint32_t source_vocabulary) {
  Model1 model(pairs, source_vocabulary);
  for (int i = 0; i < kIterations; ++i) model.Iterate();
  return model.Table();
}

LexicalTable CountLinks(std::span<const SentencePair> pairs,
                        uint32_t source_vocabulary) {
  std::vector<std::vector<uint32_t>> linked(source_vocabulary);
  for (const SentencePair& pair : pairs) {
    for (const auto& [i, j] : pair.links) {
      linked[static_cast<size_t>(pair.source[i])].push_back(
          static_cast<uint32_t>(pair.target[j]));
    }
  }
  LexicalTable table(source_vocabulary);
  for (size_t source = 0; source < linked.size(); ++source) {
    std::vector<uint32_t>& tokens = linked[source];
    std::ranges::sort(tokens);
    const auto part = 1.0f / static_cast<float>(tokens.size());
    for (const uint32_t token : tokens) {
      auto& row = table[source];
      if (row.empty() || row.back().first != token) row.emplace_back(token, 0);
      row.back().second += part;
    }
  }
  return table;
}

CanonicalShortlist LearnShortlist(const CanonicalModel& model,
                                  const ParallelText& text,
                                  const ShortlistLimits& limits,
                                  std::vector<std::string>* warnings) {
  CheckModel(model);
  const Architecture& a = model.architecture;
  const std::vector<SentencePair> pairs = ReadPairs(model, text);
  WarnOfUnseen(pairs, a.source_vocabulary, text.source, warnings);
  const LexicalTable table = text.alignment.empty()
                                 ? LearnModel1(pairs, a.source_vocabulary)
                                 : CountLinks(pairs, a.source_vocabulary);
  std::vector<std::vector<uint32_t>> lists;
  lists.reserve(table.size());
  for (const auto& row : table) lists.push_back(Best(row, limits));

  CanonicalShortlist shortlist;
  shortlist.copies_source = a.source_embedding_tied || a.embeddings_shared;
  // Ids need not be in the order of frequency, so the tokens that are always
  // candidates become the list of a token that every source has.
  const int32_t always = EverySourceHas(model.generation);
  if (always < 0) {
    shortlist.first = std::min(limits.first, a.target_vocabulary);
  } else {
    std::vector<uint32_t>& list = lists[static_cast<size_t>(always)];
    const std::vector<uint32_t> first =
        MostFrequent(pairs, a.target_vocabulary, limits.first);
    list.insert(list.end(), first.begin(), first.end());
  }
  shortlist.offsets.push_back(0);
  for (std::vector<uint32_t>& list : lists) {
    std::ranges::sort(list);
    const auto rest = std::unique(list.begin(), list.end());
    list.erase(rest, list.end());
    for (const uint32_t token : list) {
      shortlist.tokens.push_back(static_cast<uint16_t>(token));
    }
    shortlist.offsets.push_back(static_cast<uint32_t>(shortlist.tokens.size()));
  }
  return shortlist;
}

}  // namespace latimer
