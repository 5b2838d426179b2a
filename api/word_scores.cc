// How sure a model is of each word of a translation: Translator::ScoreWords.
#include "latimer/translator.h"
#include "text/slice.h"
#include "text/utf8.h"
#include "translator_state.h"

namespace latimer {
namespace {

// Gathers tokens into words. A word begins with a token whose text begins with
// white space, as in Bergamot's UnsupervisedQualityEstimator.
class WordGatherer {
 public:
  explicit WordGatherer(std::span<WordScore> out) : out_(out) {}

  // Adds a token that makes the text one of `text`, which grows.
  void Add(std::string_view text, float log_probability) {
    sum_ += log_probability;
    ++tokens_;
    if (text.size() <= bytes_) return;  // It belongs to what comes next.
    const size_t space = LeadingSpaceBytes(From(text, bytes_));
    const float sum = sum_;
    const auto tokens = static_cast<float>(tokens_);
    sum_ = 0;
    tokens_ = 0;
    if (space > 0 || words_ == 0) {
      ++words_;
      word_sum_ = word_tokens_ = 0;
      begin_ = bytes_ + space;
    }
    word_sum_ += sum;
    word_tokens_ += tokens;
    bytes_ = text.size();
    if (words_ > out_.size()) return;
    out_[words_ - 1] = {begin_, bytes_, word_sum_ / word_tokens_};
  }

  size_t words() const { return words_; }
  size_t bytes() const { return bytes_; }

 private:
  std::span<WordScore> out_;
  size_t words_ = 0;
  size_t bytes_ = 0;  // Of the text so far.
  size_t begin_ = 0;  // Of the last word.
  float word_sum_ = 0, word_tokens_ = 0;
  // Of tokens that have added no text yet.
  float sum_ = 0;
  size_t tokens_ = 0;
};

}  // namespace

Result<size_t> Translator::ScoreWords(const Translation& translation,
                                      std::span<WordScore> out) {
  if (state_ == nullptr) return NotLoaded();
  State& state = *state_;
  if (!state.CanTokenize()) return NoTokenizer();
  if (translation.parts > 1) {
    return Status::Error(StatusCode::kFailedPrecondition,
                         "The text has %zu parts, each with scores of its own; "
                         "translate it with TranslateNext.",
                         translation.parts);
  }
  const std::span<const int32_t> tokens = translation.tokens;
  if (translation.scores.size() != tokens.size()) {
    return Status::Error(StatusCode::kFailedPrecondition,
                         "The translation has no scores; translate with "
                         "TranslateOptions::scores.");
  }
  const std::span<char> text = ScratchOf(state.buffers).normalized;
  const std::span<const TargetKind> kinds =
      state.engine.model.tokenizer.target_kinds;
  WordGatherer words(out);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto id = static_cast<size_t>(tokens[i]);
    if (id < kinds.size() && kinds[id] == TargetKind::kSpecial) continue;
    const Result<size_t> bytes =
        state.tokenizer.Decode(tokens.first(i + 1), text);
    if (!bytes.ok()) return bytes.status();
    words.Add({text.data(), *bytes}, translation.scores[i].log_probability);
  }
  if (!translation.text.empty() &&
      translation.text != std::string_view(text.data(), words.bytes())) {
    return Status::Error(StatusCode::kFailedPrecondition,
                         "The scores are not those of all of the text: it has "
                         "a protected span that its tokens do not spell.");
  }
  if (words.words() <= out.size()) return words.words();
  return Status::Error(StatusCode::kTextTooLong,
                       "The translation has %zu words, but there is room for "
                       "%zu.",
                       words.words(), out.size());
}

}  // namespace latimer
