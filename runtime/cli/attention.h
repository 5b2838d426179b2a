// What --attention, --alignment and --scores of `latimer translate` show.
#ifndef LATIMER_CLI_ATTENTION_H_
#define LATIMER_CLI_ATTENTION_H_

#include <cstddef>
#include <string>
#include <vector>

#include "latimer/translator.h"

namespace latimer::cli {

// One sentence's attention, copied out of the workspace.
struct AttentionRecord {
  AttentionKind kind = AttentionKind::kNone;
  size_t layers = 0;
  size_t heads = 0;
  // Pieces along the two axes.
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  // [layers, heads, rows, columns]; zeros to the right of a causal row's end.
  std::vector<float> weights;

  float At(size_t layer, size_t head, size_t row, size_t column) const {
    return weights[((layer * heads + head) * rows.size() + row) *
                       columns.size() +
                   column];
  }
  // Of all heads.
  float Mean(size_t layer, size_t row, size_t column) const;
};

const char* NameOf(AttentionKind kind);

// The pieces of ids; an id where the model has no tokenizer.
std::vector<std::string> SourcePieces(const Translator& translator,
                                      std::span<const int32_t> ids);
std::vector<std::string> TargetPieces(const Translator& translator,
                                      std::span<const int32_t> ids);

// Of a translation that was made with TranslateOptions::attention.
AttentionRecord MakeRecord(const Translator& translator,
                           const Translation& translation);

struct WordCounts {
  size_t source = 0;
  size_t target = 0;
};

// Links "0-0 1-2" from words of the source to words of the target, both counted
// from 0: each target word to the source word that it attends to most, by the
// mean of all heads in the last layer but one, which aligns best in decoders of
// six (Garg et al., "Jointly Learning to Align and Translate", 2019), or, of
// three layers or fewer, in the last. Words begin with U+2581; where no piece
// does, each is a word. Tokens that the model adds are none. `*words` are those
// of the line before this part of it, and are counted on.
std::string Alignment(const Translator& translator,
                      const Translation& translation, WordCounts* words);

// A line for each target token: a tab, its log-probability, its margin to the
// second best token, and its piece. A forced token has no margin: "-".
std::string ScoreLines(const Translator& translator,
                       const Translation& translation);

// The whole file, by the ending of its name: .html, .svg or .json.
enum class AttentionFormat { kHtml, kSvg, kJson };
std::string FormatAttention(const std::vector<AttentionRecord>& records,
                            AttentionFormat format);

// Parts of FormatAttention. In an SVG one layer is drawn, the last.
std::string AttentionSvg(const std::vector<AttentionRecord>& records);
std::string AttentionHtml(const std::vector<AttentionRecord>& records);
std::string AttentionJson(const std::vector<AttentionRecord>& records);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_ATTENTION_H_
