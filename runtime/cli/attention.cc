#include "cli/attention.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace latimer::cli {
namespace {

// U+2581, SentencePiece's space.
constexpr std::string_view kSpace = "\xE2\x96\x81";

// The words of a text, counted from 0, by token.
struct Words {
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // Only the tokens in [begin, end) belong to a word.
  Words(const std::vector<std::string>& pieces, size_t begin, size_t end)
      : of_token(pieces.size(), kNone) {
    bool spaces = false;
    for (size_t i = begin; i < end; ++i) {
      spaces = spaces || pieces[i].starts_with(kSpace);
    }
    for (size_t i = begin; i < end; ++i) {
      if (i == begin || !spaces || pieces[i].starts_with(kSpace)) ++count;
      of_token[i] = count - 1;
    }
  }

  std::vector<size_t> of_token;
  size_t count = 0;
};

// Without the tokens that the model adds to a source.
Words SourceWords(const GenerationConfig& config, std::span<const int32_t> ids,
                  const std::vector<std::string>& pieces) {
  const auto matches = [&](std::span<const int32_t> added, size_t at) {
    return ids.size() >= at + added.size() &&
           std::ranges::equal(added, ids.subspan(at, added.size()));
  };
  const size_t suffix = config.source_suffix.size();
  const size_t begin =
      matches(config.source_prefix, 0) ? config.source_prefix.size() : 0;
  const bool ends = ids.size() >= begin + suffix &&
                    matches(config.source_suffix, ids.size() - suffix);
  return Words(pieces, begin, ids.size() - (ends ? suffix : 0));
}

// A token's piece, or its id if the model has no tokenizer.
std::string PieceOrId(std::string_view piece, int32_t id) {
  return piece.empty() ? std::to_string(id) : std::string(piece);
}

std::vector<std::string> SourcePieces(const Translator& translator,
                                      std::span<const int32_t> ids) {
  std::vector<std::string> pieces;
  std::vector<char> buffer(Translator::kMaxPieceBytes);
  for (const int32_t id : ids) {
    pieces.push_back(PieceOrId(translator.SourcePiece(id, buffer), id));
  }
  return pieces;
}

std::vector<std::string> TargetPieces(const Translator& translator,
                                      std::span<const int32_t> ids) {
  std::vector<std::string> pieces;
  for (const int32_t id : ids) {
    pieces.push_back(PieceOrId(translator.TargetPiece(id), id));
  }
  return pieces;
}

}  // namespace

float AttentionRecord::Mean(size_t layer, size_t row, size_t column) const {
  float sum = 0;
  for (size_t h = 0; h < heads; ++h) sum += At(layer, h, row, column);
  return sum / static_cast<float>(heads);
}

const char* NameOf(AttentionKind kind) {
  constexpr const char* kNames[] = {"none", "cross", "encoder", "decoder"};
  return kNames[static_cast<size_t>(kind)];
}

AttentionRecord MakeRecord(const Translator& translator,
                           const Translation& translation) {
  const AttentionWeights& attention = translation.attention;
  AttentionRecord record = {.kind = attention.kind,
                            .layers = attention.layers,
                            .heads = attention.heads,
                            .rows = {},
                            .columns = {},
                            .weights = {}};
  if (attention.kind != AttentionKind::kEncoder) {
    record.rows =
        TargetPieces(translator, translation.tokens.first(attention.rows));
  }
  if (attention.kind == AttentionKind::kDecoder) {
    // What each row has read: the start, and the tokens before its own. There
    // are no rows if the only token was forced.
    record.columns = record.rows;
    record.columns.insert(record.columns.begin(), "<start>");
    record.columns.resize(record.rows.size());
  } else {
    record.columns = SourcePieces(translator, translation.source);
  }
  if (attention.kind == AttentionKind::kEncoder) record.rows = record.columns;
  for (uint32_t l = 0; l < attention.layers; ++l) {
    for (uint32_t h = 0; h < attention.heads; ++h) {
      for (size_t r = 0; r < attention.rows; ++r) {
        const std::span<const float> row = attention.Row(l, h, r);
        record.weights.insert(record.weights.end(), row.begin(), row.end());
        record.weights.resize(
            record.weights.size() + record.columns.size() - row.size(), 0.0f);
      }
    }
  }
  return record;
}

std::string Alignment(const Translator& translator,
                      const Translation& translation, size_t layer,
                      WordCounts* words) {
  const AttentionRecord record = MakeRecord(translator, translation);
  const GenerationConfig& config = translator.model_info().generation;
  const Words source = SourceWords(config, translation.source, record.columns);
  // A final EOS is not a word.
  size_t targets = record.rows.size();
  if (targets > 0 && translation.tokens[targets - 1] == config.eos) --targets;
  const Words target(record.rows, 0, targets);
  if (layer == 0) layer = record.layers - (record.layers > 3 ? 1 : 0);
  std::vector<float> weight(source.count * target.count, 0.0f);
  for (size_t r = 0; r < targets; ++r) {
    for (size_t c = 0; c < record.columns.size(); ++c) {
      if (source.of_token[c] == Words::kNone) continue;
      weight[target.of_token[r] * source.count + source.of_token[c]] +=
          record.Mean(layer - 1, r, c);
    }
  }
  std::string links;
  for (size_t t = 0; t < target.count && source.count > 0; ++t) {
    const auto begin =
        weight.begin() + static_cast<ptrdiff_t>(t * source.count);
    const auto best = static_cast<size_t>(
        std::max_element(begin, begin + static_cast<ptrdiff_t>(source.count)) -
        begin);
    links += Format("%s%zu-%zu", links.empty() ? "" : " ", words->source + best,
                    words->target + t);
  }
  words->source += source.count;
  words->target += target.count;
  return links;
}

double AppendTokens(const Translator& translator,
                    const Translation& translation, Json* tokens) {
  const std::vector<std::string> pieces =
      TargetPieces(translator, translation.tokens);
  double sum = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    Json token = {{"id", translation.tokens[i]}, {"piece", pieces[i]}};
    if (!translation.scores.empty()) {
      const auto score =
          static_cast<double>(translation.scores[i].log_probability);
      token["score"] = score;
      sum += score;
    }
    tokens->push_back(std::move(token));
  }
  return sum;
}

void AppendWordScores(Translator& translator, const Translation& translation,
                      Json* words) {
  std::vector<WordScore> scores(translation.tokens.size());
  const Result<size_t> count = translator.ScoreWords(translation, scores);
  if (!count.ok()) return;
  for (size_t i = 0; i < *count; ++i) {
    const WordScore& word = scores[i];
    words->push_back(
        {{"text", translation.text.substr(word.begin, word.end - word.begin)},
         {"score", static_cast<double>(word.log_probability)}});
  }
}

std::string ScoreLines(const Translator& translator,
                       const Translation& translation) {
  const std::vector<std::string> pieces =
      TargetPieces(translator, translation.tokens);
  std::string lines;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const TokenScore& score = translation.scores[i];
    const auto margin = static_cast<double>(score.margin);
    lines +=
        Format("\n\t%.4f\t%s\t", static_cast<double>(score.log_probability),
               std::isfinite(margin) ? Format("%.4f", margin).c_str() : "-") +
        pieces[i];
  }
  return lines;
}

}  // namespace latimer::cli
