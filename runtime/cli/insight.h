// --attention, --alignment and --scores of `latimer translate`.
#ifndef LATIMER_CLI_INSIGHT_H_
#define LATIMER_CLI_INSIGHT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/attention.h"
#include "cli/format.h"
#include "latimer/translator.h"

namespace latimer::cli {

// The links of a part of a text, and how many words it has.
struct PartLinks {
  std::vector<WordLink> links;
  uint32_t source_words = 0;
  uint32_t target_words = 0;
};

// Collects attention and scores while lines are translated. If the profile
// keeps no attention, it does nothing and its code is left out.
class Insight {
 public:
  // Sets in `*options` what the arguments ask for. Prints a sentence and
  // returns kUsage if they contradict each other.
  int Prepare(const Arguments& arguments, TranslateOptions* options);

  // Prints a sentence and returns kUsage if the model lacks --attention-layer.
  int CheckLayer(const Architecture& architecture) const;

  // Adds the attention and scores of a translation, which may be a part of a
  // line.
  void Add(Translator& translator, const Translation& translation);

  // The links of a translation that was aligned. `source` is the text that it
  // translates; of ids, each is a word.
  PartLinks LinksOf(const Translation& translation,
                    std::string_view source) const;
  // Adds those of the next part in the order of the input.
  void AddLinks(const PartLinks& part);

  // Returns what to write after the line's translation, and begins the next
  // line.
  std::string EndLine();

  // With --n-best, the lines that stand for a line of the input, without the
  // last line break; begins the next.
  bool writes_n_best() const {
    return arguments_->n_best > 0 && !arguments_->json_lines;
  }
  std::string NBestLines(unsigned long long line);

  // With --json, the line that stands for a line or sentence of the input,
  // without a line break; begins the next. `place` says which it is. `text` is
  // null for ids.
  bool writes_json() const { return arguments_->json_lines; }
  std::string JsonLine(Json place, const std::string* text,
                       StopReason stop_reason);

  // Writes the file of --attention, if any. Prints a sentence and returns false
  // if that fails.
  bool WriteFile() const;

 private:
  void AddAlternatives(Translator& translator, const Translation& translation);

  const Arguments* arguments_ = nullptr;
  AttentionKind kind_ = AttentionKind::kCross;
  AttentionFormat format_ = AttentionFormat::kHtml;
  bool aligns_ = false;
  std::vector<AttentionRecord> records_;
  std::string links_;
  std::string scores_;
  Json tokens_ = Json(Json::array());  // Of --json.
  Json word_scores_ = Json(Json::array());
  double score_ = 0;
  // Of the parts of the line that were added.
  uint32_t source_words_ = 0, target_words_ = 0;
  // Of --n-best: the translations of a line, best first.
  struct Alternative {
    std::string text;
    float score = 0;
  };
  std::vector<Alternative> alternatives_;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_INSIGHT_H_
