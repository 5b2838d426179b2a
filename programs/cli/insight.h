// --draw-attention, --alignment and --scores of `latimer translate`.
#ifndef LATIMER_CLI_INSIGHT_H_
#define LATIMER_CLI_INSIGHT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/attention.h"
#include "internals.h"
#include "latimer/translator.h"
#include "report/format.h"

namespace latimer::cli {

// What is shown of a part of a text beside its translation.
struct PartInsight {
  // An alignment, and how many words it links.
  std::vector<WordLink> links;
  uint32_t source_words = 0;
  uint32_t target_words = 0;
  std::string scores;  // The lines of --scores.
  // Of --json.
  Json tokens;
  Json words;
  bool lacks_words = false;  // They are not known.
  double score = 0;
  // Of --n-best, best first.
  struct Alternative {
    std::string text;
    float score = 0;
  };
  std::vector<Alternative> alternatives;
};

// What there is between a part of a line and the next.
struct PartEnd {
  std::string_view space = {};  // In a translation that is made of parts.
  // Whether the last word goes on in the next part.
  bool cuts_source_word = false;
  bool cuts_target_word = false;
};

// Collects what is shown of a line. Sentences finish in any order, so what is
// shown is copied out of each with Take(), and added in the order of the input.
// What the profile leaves out is not compiled in.
class Insight {
 public:
  // Sets in `*options` what the arguments ask for. Prints a sentence and
  // returns kUsage if they contradict each other.
  int Prepare(const Arguments& arguments, TranslateOptions* options);

  // Prints a sentence and returns kUsage if the model lacks the layer.
  int CheckLayer(const Architecture& architecture) const;

  // What the arguments ask for of a translation, whose text is overwritten.
  // `source` is the text that it translates, if it was aligned. Attention is
  // added at once: a sentence that records it is alone.
  PartInsight Take(Translator& translator, const Translation& translation,
                   std::string_view source);
  // Adds the next part of a line in the order of the input.
  void Add(PartInsight part, const PartEnd& end);

  // Returns what to write after the line's translation, and begins the next
  // line.
  std::string EndLine();

  // With --n-best, the lines that stand for a line of the input, without the
  // last line break; begins the next.
  bool writes_n_best() const {
    return arguments_->hypotheses() > 0 && !arguments_->json_lines;
  }
  std::string NBestLines(unsigned long long line);

  // With --json, the line that stands for a line or sentence of the input,
  // without a line break; begins the next. `place` says which it is. `text` is
  // null for ids.
  bool writes_json() const { return arguments_->json_lines; }
  // Whether texts are compared with their translations.
  bool checks_numbers() const { return arguments_->check_numbers; }
  std::string JsonLine(Json place, const std::string* text,
                       StopReason stop_reason);

  // Writes the file of --draw-attention, if any. Prints a sentence and returns
  // false if that fails.
  bool WriteFile() const;

 private:
  void TakeLinks(const Translation& translation, std::string_view source,
                 PartInsight* part) const;
  void TakeAlternatives(Translator& translator, const Translation& translation,
                        PartInsight* part) const;
  void AddAlternatives(
      const std::vector<PartInsight::Alternative>& alternatives,
      std::string_view space);

  const Arguments* arguments_ = nullptr;
  AttentionKind kind_ = AttentionKind::kCross;
  AttentionFormat format_ = AttentionFormat::kHtml;
  bool aligns_ = false;
  std::vector<AttentionRecord> records_;
  std::string links_;
  std::string scores_;
  Json tokens_ = Json(Json::array());  // Of --json.
  Json word_scores_ = Json(Json::array());
  bool lacks_words_ = false;
  double score_ = 0;
  // Of the parts of the line that were added.
  uint32_t source_words_ = 0, target_words_ = 0;
  uint32_t linked_words_ = 0;  // The words of the target up to the last link.
  // Of --n-best: the translations of a line, best first.
  std::vector<PartInsight::Alternative> alternatives_;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_INSIGHT_H_
