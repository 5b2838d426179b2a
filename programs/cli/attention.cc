#include "cli/attention.h"

#include <cmath>
#include <utility>

#include "cli/lines.h"

namespace latimer::cli {
namespace {

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

bool AppendWordScores(Translator& translator, const Translation& translation,
                      Json* words) {
  std::vector<WordScore> scores(translation.tokens.size());
  const Result<size_t> count = translator.ScoreWords(translation, scores);
  if (!count.ok()) return false;
  for (size_t i = 0; i < *count; ++i) {
    const WordScore& word = scores[i];
    words->push_back(
        {{"text", translation.text.substr(word.begin, word.end - word.begin)},
         {"score", static_cast<double>(word.log_probability)}});
  }
  return true;
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
        OnOneLine(pieces[i]);
  }
  return lines;
}

}  // namespace latimer::cli
