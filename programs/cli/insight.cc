#include "cli/insight.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "cli/lines.h"
#include "os/system.h"

namespace latimer::cli {
namespace {

int Complain(const char* what, const char* value, const char* remedy) {
  std::fprintf(stderr, "latimer translate: %s%s%s\n", what, value, remedy);
  return kUsage;
}

bool ParseKind(const char* text, AttentionKind* out) {
  for (const AttentionKind kind :
       {AttentionKind::kCross, AttentionKind::kEncoder,
        AttentionKind::kDecoder}) {
    if (std::strcmp(text, NameOf(kind)) == 0) {
      *out = kind;
      return true;
    }
  }
  return false;
}

bool ParseFormat(std::string_view file, AttentionFormat* out) {
  if (file.ends_with(".html")) {
    *out = AttentionFormat::kHtml;
  } else if (file.ends_with(".svg")) {
    *out = AttentionFormat::kSvg;
  } else if (file.ends_with(".json")) {
    *out = AttentionFormat::kJson;
  } else {
    return false;
  }
  return true;
}

}  // namespace

int Insight::Prepare(const Arguments& arguments, TranslateOptions* options) {
  arguments_ = &arguments;
  AttentionKind kind = AttentionKind::kCross;
  if (arguments.draw_attention_of != nullptr) {
    if (arguments.draw_attention == nullptr) {
      return Complain("--draw-attention-of", "",
                      " says what --draw-attention FILE shows; give that too.");
    }
    if (!ParseKind(arguments.draw_attention_of, &kind)) {
      return Complain("--draw-attention-of ", arguments.draw_attention_of,
                      ": give cross, encoder or decoder.");
    }
  }
  if (arguments.draw_attention != nullptr &&
      !ParseFormat(arguments.draw_attention, &format_)) {
    return Complain("--draw-attention ", arguments.draw_attention,
                    ": give a file that ends in .html, .svg or .json.");
  }
  const bool draws_layer =
      arguments.draw_attention != nullptr && format_ == AttentionFormat::kSvg;
  if (arguments.draw_attention_layer > 0 && !draws_layer) {
    return Complain("--draw-attention-layer", "",
                    " is for --draw-attention FILE.svg; give that too.");
  }
  kind_ = kind;
  if (arguments.json_lines && (arguments.alignment || arguments.scores)) {
    return Complain("--json", "",
                    " has alignment and scores; leave out --alignment and "
                    "--scores.");
  }
  if (writes_n_best() && (arguments.alignment || arguments.scores)) {
    return Complain("--n-best", "",
                    " and --alternatives go without --alignment and --scores; "
                    "--json has all of them.");
  }
  if (arguments.draw_attention != nullptr) options->attention = kind;
  // A build without room for them writes JSON without them.
  aligns_ = arguments.alignment || (arguments.json_lines && kProfile.alignment);
  options->alignment = aligns_;
  options->scores =
      arguments.scores || (arguments.json_lines && kProfile.scores);
  return kSuccess;
}

int Insight::CheckLayer(const Architecture& architecture) const {
  const uint32_t layers = kind_ == AttentionKind::kEncoder
                              ? architecture.encoder_layers
                              : architecture.decoder_layers;
  if (arguments_->draw_attention_layer <= layers) return kSuccess;
  return UsageError("translate",
                    "--draw-attention-layer %u: there are layers 1 to %u.",
                    static_cast<unsigned>(arguments_->draw_attention_layer),
                    static_cast<unsigned>(layers));
}

void Insight::TakeAlternatives(Translator& translator,
                               const Translation& translation,
                               PartInsight* part) const {
  // A greedy search has one.
  const Hypothesis greedy = {translation.tokens, 0.0f};
  const std::span<const Hypothesis> all = translation.hypotheses.empty()
                                              ? std::span(&greedy, 1)
                                              : translation.hypotheses;
  for (size_t i = 0; i < std::min<size_t>(arguments_->hypotheses(), all.size());
       ++i) {
    std::string text;
    if (arguments_->ids) {
      FormatIds(all[i].tokens, &text);
    } else if (const auto words = translator.HypothesisText(i); words.ok()) {
      text = *words;
    }
    part->alternatives.push_back({std::move(text), all[i].score});
  }
}

// Of a line in parts, the n-th translations of all parts make up the n-th of
// the line. A part that has fewer repeats its last one.
void Insight::AddAlternatives(
    const std::vector<PartInsight::Alternative>& alternatives,
    std::string_view space) {
  if (alternatives_.size() < alternatives.size()) {
    alternatives_.resize(alternatives.size(), alternatives_.empty()
                                                  ? PartInsight::Alternative()
                                                  : alternatives_.back());
  }
  for (size_t i = 0; i < alternatives_.size(); ++i) {
    if (!alternatives.empty()) {
      const PartInsight::Alternative& of_part =
          alternatives[std::min(i, alternatives.size() - 1)];
      alternatives_[i].text += of_part.text;
      alternatives_[i].score += of_part.score;
    }
    alternatives_[i].text += space;
  }
}

std::string Insight::NBestLines(unsigned long long line) {
  std::string lines;
  for (const PartInsight::Alternative& alternative : alternatives_) {
    if (!lines.empty()) lines += '\n';
    char score[32];
    std::snprintf(score, sizeof(score), "%.6f",
                  static_cast<double>(alternative.score));
    lines += std::to_string(line - 1) + " ||| " + OnOneLine(alternative.text) +
             " ||| " + score;
  }
  alternatives_.clear();
  return lines;
}

PartInsight Insight::Take(Translator& translator,
                          const Translation& translation,
                          std::string_view source) {
  PartInsight part;
  if (translation.tokens.empty()) {
    // What the model cannot read has a text without tokens.
    part.lacks_words = !translation.text.empty();
    if (arguments_->hypotheses() > 0 && !translation.text.empty()) {
      TakeAlternatives(translator, translation, &part);
    }
    return part;
  }
  if (aligns_) TakeLinks(translation, source, &part);
  if constexpr (kProfile.attention > 0) {
    if (arguments_->draw_attention != nullptr) {
      records_.push_back(MakeRecord(translator, translation));
    }
  }
  if constexpr (kProfile.scores) {
    if (arguments_->scores) part.scores = ScoreLines(translator, translation);
  }
  if (arguments_->json_lines) {
    part.score = AppendTokens(translator, translation, &part.tokens);
    if (!arguments_->ids) {
      part.lacks_words =
          !AppendWordScores(translator, translation, &part.words);
    }
  }
  // The last: it overwrites the text.
  if (arguments_->hypotheses() > 0)
    TakeAlternatives(translator, translation, &part);
  return part;
}

void Insight::TakeLinks(const Translation& translation, std::string_view source,
                        PartInsight* part) const {
  if (arguments_->ids) {  // Each is a word.
    for (const TokenLink& link : translation.links) {
      if (link.source.size() == 0) continue;
      part->links.push_back({link.source.begin, link.target.begin});
    }
    return;
  }
  part->links.resize(translation.links.size());
  part->links.resize(
      LinkWords(source, translation.text, translation.links, part->links));
  part->source_words = static_cast<uint32_t>(CountWords(source));
  part->target_words = static_cast<uint32_t>(CountWords(translation.text));
}

void Insight::Add(PartInsight part, const PartEnd& end) {
  for (const WordLink& link : part.links) {
    const uint32_t target = target_words_ + link.target;
    if (target < linked_words_) continue;  // The part before has linked it.
    linked_words_ = target + 1;
    links_ +=
        Format(" %u-%u", static_cast<unsigned>(source_words_ + link.source),
               static_cast<unsigned>(target));
  }
  source_words_ += part.source_words;
  target_words_ += part.target_words;
  // A word that goes on counts with the next part.
  if (end.cuts_source_word && part.source_words > 0) --source_words_;
  if (end.cuts_target_word && part.target_words > 0) --target_words_;
  scores_ += part.scores;
  for (Json& token : part.tokens) tokens_.push_back(std::move(token));
  for (Json& word : part.words) word_scores_.push_back(std::move(word));
  lacks_words_ = lacks_words_ || part.lacks_words;
  score_ += part.score;
  AddAlternatives(part.alternatives, end.space);
}

std::string Insight::JsonLine(Json json, const std::string* text,
                              StopReason stop_reason) {
  if (text != nullptr) json["text"] = *text;
  if (kProfile.scores) {
    json["score"] = score_;
    json["mean_score"] =
        tokens_.empty() ? 0.0 : score_ / static_cast<double>(tokens_.size());
    if (lacks_words_) word_scores_ = Json(Json::array());
    if (text != nullptr) {
      json["words"] = std::exchange(word_scores_, Json(Json::array()));
    }
  }
  json["stop_reason"] = NameOf(stop_reason);
  if (aligns_) json["alignment"] = links_.empty() ? "" : links_.substr(1);
  if (arguments_->hypotheses() > 0) {
    json["n_best"] = Json::array();
    for (const PartInsight::Alternative& alternative :
         std::exchange(alternatives_, {})) {
      json["n_best"].push_back(
          {{"text", alternative.text}, {"score", alternative.score}});
    }
  }
  json["tokens"] = std::exchange(tokens_, Json(Json::array()));
  score_ = 0;
  lacks_words_ = false;
  (void)EndLine();
  return Dump(json, -1);
}

std::string Insight::EndLine() {
  std::string text;
  if (arguments_->alignment) text = " |||" + links_;
  text += scores_;
  links_.clear();
  scores_.clear();
  source_words_ = target_words_ = linked_words_ = 0;
  return text;
}

bool Insight::WriteFile() const {
  if (arguments_->draw_attention == nullptr) return true;
  if constexpr (kProfile.attention > 0) {
    const std::string text =
        FormatAttention(records_, format_, arguments_->draw_attention_layer);
    std::FILE* file = OpenStream(arguments_->draw_attention, "wb");
    const bool written =
        file != nullptr &&
        std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (file == nullptr || std::fclose(file) != 0 || !written) {
      std::fprintf(stderr, "latimer: %s: cannot write the attention (%s).\n",
                   arguments_->draw_attention, std::strerror(errno));
      return false;
    }
  }
  return true;
}

}  // namespace latimer::cli
