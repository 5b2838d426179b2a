// The options of a translation, and its result.
#ifndef LATIMER_TRANSLATION_H_
#define LATIMER_TRANSLATION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "latimer/alignment.h"
#include "latimer/beam_search.h"
#include "latimer/insight.h"
#include "latimer/operation_times.h"
#include "latimer/sampling.h"
#include "latimer/stop.h"
#include "latimer/token_sequences.h"

namespace latimer {

// A word or phrase of the source and what stands for it in the translation.
// Borrows both; laid out as latimer_term of C.
class Term {
 public:
  // What it is made of must outlive it.
  constexpr Term(std::string_view source, std::string_view target)
      : source_(source.data()),
        source_bytes_(source.size()),
        target_(target.data()),
        target_bytes_(target.size()) {}

  // What is replaced, and by what.
  std::string_view source() const { return {source_, source_bytes_}; }
  std::string_view target() const { return {target_, target_bytes_}; }

 private:
  const char* source_;
  size_t source_bytes_;
  const char* target_;
  size_t target_bytes_;
};

// Strings need to live only until a call returns, or as long as the TextCursor
// that was given them; `suppressed` and `banned` must live until the sentence
// has finished.
struct TranslateOptions {
  // Generated tokens, EOS included, up to Translator::max_target_tokens();
  // 0: the limit in the model's generation config.
  uint32_t max_target_tokens = 0;
  // EOS is not allowed before this many tokens.
  uint32_t min_target_tokens = 0;
  // Prepended to the text as if it were part of it: ">>deu<<" for models that
  // translate into several languages. Empty: only the text's own code.
  std::string_view language_code = {};
  // Codes from GenerationConfig::languages, such as "eng_Latn". A multilingual
  // model needs both to translate a text, or only the target's; see
  // GenerationConfig. With TranslateIds the ids are taken as they are, but a
  // target language that is not one of them still applies if it is given.
  std::string_view source_language = {};
  std::string_view target_language = {};
  // Name from GenerationConfig::tasks. Its prefix is used, and its limits
  // replace the model's.
  std::string_view task = {};
  // Prepended to each part of the text in place of the task's prefix, for
  // example "summarize: ". It is tokenized by itself.
  std::string_view prefix = {};
  // Target id that is forced as the first token; -1: the target language's or
  // the model's, if it has one.
  int32_t forced_first_token = -1;
  // What the translation of a text, or of its first part, begins with, as in
  // generate(decoder_input_ids): a text of the target, or ids. A token that is
  // forced as the first comes before it. It counts among the generated tokens,
  // and takes room from the source. A text needs ModelInfo::encodes_target; if
  // there are ids, it is ignored. Ids that end with EOS are all of the
  // translation: with beams, `scores` then are what the model gives them.
  std::string_view target_prefix = {};
  std::span<const int32_t> target_prefix_ids = {};
  // -1: the model's; 0: off.
  int32_t no_repeat_ngram = -1;
  // 0: the model's; 1: off.
  float repetition_penalty = 0;
  // Beams of the search, up to Translator::max_beams(): 1 for greedy search, 0
  // for the number that the model's makers chose. More take as many times the
  // time, find better translations, and need as many lanes.
  uint32_t beams = 0;
  // Instead of a search with beams: the hypotheses are the K best tokens that
  // follow the target prefix, each completed greedily, side by side on as many
  // lanes; up to Translator::max_beams(). The best one is the translation. 0:
  // off.
  uint32_t alternatives = 0;
  // What the number of a hypothesis' tokens is raised to before its score is
  // divided by it; NaN: the model's.
  float length_penalty = std::numeric_limits<float>::quiet_NaN();
  // When a search with several beams ends; absent: the model's rule.
  std::optional<EarlyStopping> early_stopping = {};
  // Draws tokens instead of taking the best ones; goes without beams.
  Sampling sampling = {};
  // Target ids that may not be produced.
  std::span<const int32_t> suppressed = {};
  // Sequences of target ids that may not be produced, besides the model's:
  // generate()'s bad_words_ids. Translator::TokenizeTarget makes one of a word.
  TokenSequences banned = {};
  // Terms that must come out wherever their source is in the text, between word
  // boundaries; where several begin, the longest. One whose source begins with
  // a small letter of ASCII also stands for the capital one. If a translation
  // lacks targets, it is made once more: the decoder then produces each of them
  // where it attends to the source, at the latest at the end. Terms need
  // ModelInfo::encodes_target.
  std::span<const Term> terms = {};
  // Stretches that come out once each, byte for byte. `protect`: placeholders,
  // URLs, e-mail addresses and numbers with units, and `protected_patterns`
  // other ones; see text/protected_text.h. `protected_ranges`: bytes of the
  // text in ascending order, for example inline elements that must not be
  // translated; they win over the others, and all win over terms. White space
  // only is not kept. What the model copies of a stretch besides is taken out,
  // unless it is shorter than 4 bytes or a part of a word. TranslateIds knows
  // neither terms nor these.
  bool protect = false;
  std::span<const std::string_view> protected_patterns = {};
  std::span<const TextRange> protected_ranges = {};
  // Characters of a text that no piece of a SentencePiece model covers, such as
  // emoji, come out as they are, likewise; a text that has no other letters or
  // digits comes out as it is, without source tokens. A text with more of them
  // than a sentence has room for is translated in parts. Only in a profile with
  // `phrases`. false: the model reads its unknown token, and they are lost.
  bool keep_unknown = true;
  // What to record for Translation::attention and Translation::scores, in a
  // profile that has room for it. A sentence whose attention is recorded runs
  // alone. With beams, the translation is decoded once more.
  AttentionKind attention = AttentionKind::kNone;
  bool scores = false;
  // Whether to align for Translation::links, in a profile that has room for
  // it. The text must then live until the sentence has finished. Sentences are
  // aligned side by side; with beams, each is decoded once more.
  bool alignment = false;
  // Where to add the time that each operation takes; null: no clock is read.
  OperationTimes* times = nullptr;
  // Stop loops, and translations that are far too long: see stop.h. false:
  // plain greedy search, which ids always get.
  bool guards = true;
  // What the whole text may use, all its parts together: generated tokens, and
  // milliseconds from the beginning of the call or from the construction of
  // the TextCursor, checked before the encoder and before each token. 0: no
  // limit.
  uint32_t budget_tokens = 0;
  uint32_t budget_ms = 0;
  // Ends the sentence and the text before the next token if true. Another
  // thread may set it. It must live until the sentence has finished.
  const std::atomic<bool>* cancel = nullptr;
  // Called for each token; return false to stop. May be null. With several
  // beams, tokens are known only when the search has ended. With terms, a
  // translation that is made once more begins at index 0 again.
  TokenCallback on_token = nullptr;
  void* token_context = nullptr;
};

// A translation; views into the workspace, valid until the next call.
struct Translation {
  // Detokenized UTF-8; empty for TranslateIds.
  std::string_view text;
  // Target ids without decoder_start, EOS included if it was produced. A loop
  // is cut after its first copy, although on_token received all of it. For a
  // text in several parts, the tokens of the last part.
  std::span<const int32_t> tokens;
  // For a text in several parts, the most severe reason.
  StopReason stop_reason = StopReason::kEos;
  // Tokens that were generated in all parts, those of a loop included.
  size_t generated_tokens = 0;
  // Source ids that were read, including those that the model puts around every
  // text.
  std::span<const int32_t> source;
  // What the options asked for: see insight.h. One score for each of `tokens`.
  AttentionWeights attention;
  std::span<const TokenScore> scores;
  // The mean of their log-probabilities, that of EOS included; 0 without.
  float mean_score = 0;
  // One for each of `tokens` if TranslateOptions::alignment is set; of the last
  // part, if a text has several.
  std::span<const TokenLink> links;
  // With several beams, or alternatives: the best hypotheses, at most as many;
  // the first one has these tokens, unless a loop was cut off. For a text in
  // several parts, those of the last part. Translator::HypothesisText makes
  // texts of them.
  std::span<const Hypothesis> hypotheses;
  // Bytes of the text that were translated, white space after them included:
  // less than the text only if a budget or the caller ended it, or if this is a
  // part (Translator::TranslateNext). 0 for ids.
  size_t source_bytes = 0;
};

}  // namespace latimer

#endif  // LATIMER_TRANSLATION_H_
