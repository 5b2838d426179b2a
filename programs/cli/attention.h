// What --draw-attention, --scores and --json of `latimer translate` show.
#ifndef LATIMER_CLI_ATTENTION_H_
#define LATIMER_CLI_ATTENTION_H_

#include <cstddef>
#include <string>
#include <vector>

#include "latimer/translator.h"
#include "report/format.h"

namespace latimer::cli {

// The attention of one sentence, copied out of the workspace.
struct AttentionRecord {
  AttentionKind kind = AttentionKind::kNone;
  size_t layers = 0;
  size_t heads = 0;
  // Pieces along the two axes.
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  // [layers, heads, rows, columns]; of kDecoder, tokens that a row cannot
  // attend to have weight 0.
  std::vector<float> weights;

  float At(size_t layer, size_t head, size_t row, size_t column) const {
    return weights[((layer * heads + head) * rows.size() + row) *
                       columns.size() +
                   column];
  }
  // The mean of all heads.
  float Mean(size_t layer, size_t row, size_t column) const;
};

const char* NameOf(AttentionKind kind);

// The translation was made with TranslateOptions::attention.
AttentionRecord MakeRecord(const Translator& translator,
                           const Translation& translation);

// Appends {"id", "piece", "score"} for each target token; a score is there if
// the translation has scores. Returns their sum.
double AppendTokens(const Translator& translator,
                    const Translation& translation, Json* tokens);

// Appends {"text", "score"} for each word of the text; see WordScore. Returns
// false if the scores of its words are not known.
bool AppendWordScores(Translator& translator, const Translation& translation,
                      Json* words);

// A line for each target token: a tab, its log-probability, its margin to the
// second best token, and its piece. The margin of a forced token is "-".
std::string ScoreLines(const Translator& translator,
                       const Translation& translation);

// The whole file in the format of its name's extension.
enum class AttentionFormat { kHtml, kSvg, kJson };
std::string FormatAttention(const std::vector<AttentionRecord>& records,
                            AttentionFormat format, size_t layer);

// FormatAttention for kSvg, which shows one layer: `layer`, from 1, or if that
// is 0 the last.
std::string AttentionSvg(const std::vector<AttentionRecord>& records,
                         size_t layer);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_ATTENTION_H_
