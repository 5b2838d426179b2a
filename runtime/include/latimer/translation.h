// What a translation is: its text and tokens, and what the options asked for
// besides.
#ifndef LATIMER_TRANSLATION_H_
#define LATIMER_TRANSLATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "latimer/options.h"

namespace latimer {

// Why a translation ended. In order of severity: a text that was translated in
// parts has the most severe reason of its parts.
enum class StopReason : uint8_t {
  kEos,          // The model ended the sentence.
  kLengthLimit,  // max_target_tokens, the model's limit or a guard's limit was
                 // reached, even if the generation config then forces EOS.
  kLoop,         // A guard found the same tokens many times in a row.
  kBudget,       // The call's tokens or time were used up.
  kCancelled,    // The caller's flag or callback ended it.
};

// The name of a reason, such as "length_limit"; "unknown" for one of a newer
// library.
constexpr const char* NameOf(StopReason reason) {
  constexpr const char* kNames[] = {"eos", "length_limit", "loop", "budget",
                                    "cancelled"};
  const auto place = static_cast<size_t>(reason);
  return place < sizeof(kNames) / sizeof(*kNames) ? kNames[place] : "unknown";
}

// ---- Attention and scores ----

// The attention weights of a translation. Each row is a softmax and has the sum
// 1. Row t of kCross and kDecoder is what the decoder attended to when it chose
// target token t; a forced token has no row.
struct AttentionWeights {
  AttentionKind kind = AttentionKind::kNone;
  uint32_t layers = 0;
  uint32_t heads = 0;
  size_t rows = 0;
  size_t source_tokens = 0;
  // Row by row; within a row layer by layer, within a layer head by head.
  const float* weights = nullptr;

  // The columns of a row: all source tokens, or row + 1 for kDecoder.
  size_t columns(size_t row) const {
    return kind == AttentionKind::kDecoder ? row + 1 : source_tokens;
  }
  // One head's weights in one row. Precondition: all three are in range.
  std::span<const float> Row(uint32_t layer, uint32_t head, size_t row) const {
    const size_t columns_before = kind == AttentionKind::kDecoder
                                      ? row * (row + 1) / 2
                                      : row * source_tokens;
    return {weights + columns_before * layers * heads +
                (size_t{layer} * heads + head) * columns(row),
            columns(row)};
  }
};

// The score of one target token, after the logits processors.
struct TokenScore {
  // Natural logarithm of its probability; 0 for a forced token. With beams, a
  // token of a term or a protected span has the probability that the model gave
  // it.
  float log_probability;
  // The difference to the second best token's; infinite if there was none.
  float margin;
};

// The score of a word of a translation: the mean log-probability of its tokens.
// A word is what stands between white space, so punctuation belongs to it.
struct WordScore {
  size_t begin;  // Bytes [begin, end) of the text.
  size_t end;
  float log_probability;
};

// ---- Alignment: which bytes of a source each token comes from ----
//
// The cross-attention of one layer of the decoder, of one head or the mean of
// all, says which source token has the largest weight for a target token;
// tokens that the model puts around a text do not count. Which attention aligns
// best, the converter measures (--align-text); otherwise it is that of the last
// layer but one, or of up to three layers the last. With beams, the result is
// decoded once more. The bytes of a token are those of Hugging Face's
// tokenizers and of SentencePiece.

// A token of a translation, without white space at its ends; empty for tokens
// that have no text, such as EOS. If ids were translated, both are ranges of
// ids.
struct TokenLink {
  TextRange target;  // In Translation::text.
  // In the text that was translated: of the part, if it was translated in
  // parts. The source token that the decoder attended to most when it chose
  // the target token; empty if there is none.
  TextRange source;
};

// A word of a translation and the word of the source that most of its tokens
// come from, the first of them if there are several. A word is what stands
// between white space; both are counted from 0.
struct WordLink {
  uint32_t source = 0;
  uint32_t target = 0;
};

// The links of the words of a translation, in their order, without those none
// of whose tokens has a source. `source` and `target` are the texts that the
// ranges of `links` are in. Writes as many as there is room for, and returns
// how many there are, at most as many as tokens.
size_t LinkWords(std::string_view source, std::string_view target,
                 std::span<const TokenLink> links, std::span<WordLink> out);

// How many words a text has.
size_t CountWords(std::string_view text);

// ---- Beams ----
//
// A search keeps the K most likely beginnings of a translation, its beams, and
// extends each by one token at a time. A hypothesis is a beam that has ended.
// Its score is the sum of its tokens' log-probabilities, divided by their
// number, EOS included, to the power of the length penalty. The tokens of a
// target prefix do not count.

// One of the translations that a search found.
struct Hypothesis {
  std::span<const int32_t> tokens = {};  // EOS included if it was produced.
  float score = 0.0f;
};

// ---- A translation ----

// A translation, which views the workspace; see Translator.
//
// A text is translated in parts, one for each sentence or line; a sentence that
// exceeds the longest source has several. Of a text of several parts
// Translator::Translate gives what holds for all of it, and leaves empty what
// belongs to a part: its tokens, and what is counted by tokens. To get that
// too, translate part by part: Translator::TranslateNext.
struct Translation {
  // Detokenized UTF-8; empty for TranslateIds.
  std::string_view text;
  // Why it ended; of several parts, the most severe reason.
  StopReason stop_reason = StopReason::kEos;
  // Tokens that were generated in all parts, those of a loop included.
  size_t generated_tokens = 0;
  // The mean log-probability of the tokens of all parts, EOS included. Absent
  // unless TranslateOptions::scores asked for it, and without tokens.
  std::optional<float> mean_score;
  // Bytes of the parts that have begun, white space after them included: less
  // than the text only if a budget or the caller ended it, when the last part
  // may be incomplete, or if this is a part (Translator::TranslateNext). 0 for
  // ids.
  size_t source_bytes = 0;
  // Of a part that others follow: what to write between its translation and
  // theirs. Views the text, too.
  std::string_view space;
  // If they are more than 1, all below is empty.
  size_t parts = 1;

  // Target ids without decoder_start, EOS included if it was produced. A loop
  // is cut after its first copy, although on_token received all of it.
  std::span<const int32_t> tokens;
  // Source ids that were read, including those that the model puts around every
  // text.
  std::span<const int32_t> source;
  // What the options asked for. One score for each of `tokens`; one link for
  // each, and one for each stretch that the text keeps and no token stands for,
  // in the order of the translation.
  AttentionWeights attention;
  std::span<const TokenScore> scores;
  std::span<const TokenLink> links;
  // With several beams, or alternatives: the best hypotheses, at most as many;
  // the first one has these tokens, unless a loop was cut off.
  // Translator::HypothesisText makes texts of them.
  std::span<const Hypothesis> hypotheses;
};

}  // namespace latimer

#endif  // LATIMER_TRANSLATION_H_
