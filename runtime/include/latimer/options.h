// How to load a model, and how to translate.
//
//   latimer::TranslateOptions options = {.beams = 4};
//   latimer::Status status = latimer::SetOption(&options, "top_p", "0.9");
#ifndef LATIMER_OPTIONS_H_
#define LATIMER_OPTIONS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "latimer/status.h"

namespace latimer {

class Translator;

// A number that is not given is absent; a text, a span or a pointer that is not
// given is empty or null. What that means, each option says: mostly the model's
// own, or no limit. A count that is given is at least 1.

// ---- Loading ----

// Most stack that any public function or thread of the pool needs, from the
// call down, in an optimized build, without signal handlers.
// tests/system/stack_bound_test.cc proves it from the compiler's call graph.
inline constexpr uint64_t kStackBytes = 16 * 1024;

struct LoadOptions {
  // Threads that share the work of each step, the calling thread included.
  // Those that Load makes are "latimer-01" and so on, on Linux, and have what
  // the system lets them inherit from the thread that calls Load: on Linux its
  // policy, priority, processors and blocked signals.
  uint32_t threads = 1;
  // Bind each thread except the calling one to a processor of its own.
  bool pin_threads = false;
  // Sentences that may be decoded side by side, at most the profile's; absent:
  // as many as the workspace has room for.
  std::optional<uint32_t> lanes = {};
  // Most beams of a sentence, at most the profile's; absent: as many as the
  // model asks for. There are at least as many lanes.
  std::optional<uint32_t> beams = {};
  // Whether the workspace keeps room for attention weights and for token scores
  // (Translation::scores), if the profile does.
  bool attention = true;
  bool scores = true;
  // Whether it keeps room for TokenLinks (Translation::links), if the profile
  // does: 26 bytes for each target token, and 8 for each source token. They
  // also say where a translation has what its text keeps.
  bool alignment = true;
  // false skips the pass over the file that finds damaged weights.
  bool verify_checksum = true;
  // Use no newer instructions than these, such as "avx2" or "neon"; `latimer
  // --help` names those of the architecture. Null: use all that the CPU has.
  // For tests.
  const char* cpu = nullptr;
};

// ---- What options of a translation are made of ----

// The bytes [begin, end) of a text.
struct TextRange {
  uint32_t begin = 0;
  uint32_t end = 0;

  // In bytes.
  uint32_t size() const { return end - begin; }
};

// A word or phrase of the source and what stands for it in the translation.
// Borrows both; see TranslateOptions.
class Term {
 public:
  // Borrows both; see TranslateOptions.
  constexpr Term(std::string_view source, std::string_view target)
      : source_(source.data()),
        source_bytes_(source.size()),
        target_(target.data()),
        target_bytes_(target.size()) {}

  // What is replaced, and by what.
  std::string_view source() const { return {source_, source_bytes_}; }
  std::string_view target() const { return {target_, target_bytes_}; }

 private:
  friend struct TermLayout;  // Sees to it that this is latimer_term of C.

  const char* source_;
  size_t source_bytes_;
  const char* target_;
  size_t target_bytes_;
};

// Several sequences of ids in one array: sequence i is tokens[ends[i - 1],
// ends[i]), the first one begins at 0, and none is empty.
struct TokenSequences {
  std::span<const int32_t> tokens = {};
  std::span<const uint32_t> ends = {};
};

// The attention whose weights a translation keeps.
enum class AttentionKind : uint8_t {
  kNone,
  kCross,    // row: target token; column: source token
  kEncoder,  // row and column: source tokens
  kDecoder,  // row: target token; column: decoder_start or an earlier token
};

// When a search ends that has K hypotheses.
enum class EarlyStopping : uint8_t {
  kHeuristic,  // The best beam, if it ended now, would score lower than all of
               // them: generate()'s early_stopping=False.
  kAlways,     // At once: True.
  kNever,      // No beam can score higher any more, however long: "never".
};

// Draws tokens by their probabilities, for example to translate back for
// training.
struct Sampling {
  bool enabled = false;
  // Logits are divided by it: above 1 makes tokens more alike. Above 0
  // and finite.
  float temperature = 1.0f;
  // Only the K most likely tokens are drawn; absent: all.
  std::optional<uint32_t> top_k = {};
  // Only the most likely tokens whose probabilities sum up to this are drawn;
  // 1: all. Above 0.
  float top_p = 1.0f;
  // Only tokens whose probability is at least this share of the most likely
  // one's are drawn; 0: all. At most 1.
  float min_p = 0.0f;
  // Each pair of seed and stream has random numbers of its own: a stream for
  // each text of a job gives it the same tokens wherever and whenever it is
  // translated.
  uint64_t seed = 0;
  uint64_t stream = 0;
};

// Called for each generated token, including EOS, as soon as it is chosen;
// `index` is its place in the sentence. Return false to end the sentence. It
// must not call the translator except for TargetPiece; kStackBytes does not
// count its stack.
using TokenCallback = bool (*)(void* context, size_t index, int32_t token);

// ---- Translating ----

// An option that is not given is the model's own, or off if models have none.
//
// What options point to, and the text or the ids that they are for, must live
// until the sentence has finished: until Translate, TranslateNext or
// TranslateIds returns, or Advance returns its translation. Options and text of
// a TextCursor must live until all its parts have finished, and those of a
// stream as long as it.
struct TranslateOptions {
  // Whether each sentence and each line of a text is translated by itself, as
  // models are trained; see latimer/text_cursor.h. false: a text that fits the
  // longest source is translated at once, as the original library does it.
  bool sentences = true;
  // Whether the lines of a text are wrapped: a line break then ends a sentence
  // only at a blank line and in a list, and becomes a space elsewhere.
  bool paragraphs = false;
  // Generated tokens, EOS included, up to Translator::max_target_tokens().
  std::optional<uint32_t> max_target_tokens = {};
  // EOS is not allowed before this many tokens, or the model's number if that
  // is greater.
  uint32_t min_target_tokens = 0;
  // Prepended to the text as if it were part of it: ">>deu<<" for models that
  // translate into several languages. Empty: only the text's own code.
  std::string_view language_code = {};
  // Codes from ModelInfo::languages, such as "eng_Latn". A multilingual model
  // needs both to translate a text, or only the target's. With TranslateIds the
  // ids are taken as they are, but a target language that is not one of them
  // still applies if it is given.
  std::string_view source_language = {};
  std::string_view target_language = {};
  // Name from ModelInfo::tasks. Its prefix is used, and its limits replace the
  // model's.
  std::string_view task = {};
  // Prepended to each part of the text in place of the task's prefix, for
  // example "summarize: ". It is tokenized by itself.
  std::string_view prefix = {};
  // Target id that is forced as the first token, in place of the target
  // language's or the model's.
  std::optional<int32_t> forced_first_token = {};
  // What the translation of a text, or of its first part, begins with, as in
  // generate(decoder_input_ids): a text of the target, or ids. A token that is
  // forced as the first comes before it. It counts among the generated tokens,
  // and takes room from the source. A text needs ModelInfo::encodes_target; if
  // there are ids, it is ignored. Ids that end with EOS are all of the
  // translation: with beams, `scores` then are what the model gives them.
  std::string_view target_prefix = {};
  std::span<const int32_t> target_prefix_ids = {};
  // No sequence of that many tokens is produced twice; 0: off.
  std::optional<uint32_t> no_repeat_ngram = {};
  // Above 0; 1: off.
  std::optional<float> repetition_penalty = {};
  // Beams of the search, up to Translator::max_beams(): 1 for greedy search.
  // More take as many times the time, find better translations, and need as
  // many lanes.
  std::optional<uint32_t> beams = {};
  // Instead of a search with beams: the hypotheses are the K best tokens that
  // follow the target prefix, each completed greedily, side by side on as many
  // lanes; up to Translator::max_beams(). The best one is the translation.
  std::optional<uint32_t> alternatives = {};
  // What the number of a hypothesis' tokens is raised to before its score is
  // divided by it.
  std::optional<float> length_penalty = {};
  // When a search with several beams ends.
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
  // other ones; see phrases/protected_text.h. `protected_ranges`: bytes of the
  // text in ascending order, for example inline elements that must not be
  // translated; they win over the others, and all win over terms. White space
  // only is not kept. The model reads a word such as "X1" in place of each and
  // copies it; a stretch whose word does not come back is put where what stands
  // around it went. TranslateIds knows neither terms nor these.
  bool protect = false;
  std::span<const std::string_view> protected_patterns = {};
  std::span<const TextRange> protected_ranges = {};
  // Characters of a text that no piece of a SentencePiece model covers are read
  // as what the model has: dashes as -, quotes as " and ', letters without
  // their accents. Links stand for the text's own bytes. Never with ids, and in
  // no Tokenize. false: the ids are those of the original library.
  bool fold = true;
  // Those that it has nothing for, such as emoji, come out as they are, where
  // they belong. The model reads its unknown token, and the tokens of the
  // translation are the same with and without this; a sign that the model has
  // put into words is not written again. A text with more of them than a
  // sentence has room for is translated in parts. Only in a profile with
  // `phrases`. A
  // text in which the model can read no letter comes out as it is, without
  // tokens, in any profile. false: what the model cannot read is lost, and all
  // texts are translated.
  bool keep_unknown = true;
  // What to record for Translation::attention and Translation::scores, in a
  // profile that has room for it. A sentence whose attention is recorded runs
  // alone. With beams, the translation is decoded once more.
  AttentionKind attention = AttentionKind::kNone;
  bool scores = false;
  // Whether to align for Translation::links, in a profile that has room for
  // it. Sentences are aligned side by side; with beams, each is decoded once
  // more.
  bool alignment = false;
  // Whether to stop a model that does not find the end of a text, far beyond
  // what proper translations reach: after 8 S + 64 tokens for S source tokens,
  // and as many more as a minimum length, a target prefix, terms and protected
  // spans force; and in a loop, which is a sequence of 1 to 16 tokens that is
  // produced at least 8 times in a row and makes up at least 32 tokens. If the
  // source repeats itself, the loop must be 4 times as many tokens longer as
  // it has repeated ones. The translation is kept up to the first copy. false:
  // plain greedy search, which ids always get.
  bool guards = true;
  // What the whole text may use, all its parts together: generated tokens, and
  // milliseconds from the beginning of the call or from the construction of
  // the TextCursor, checked before the encoder and before each token.
  std::optional<uint32_t> budget_tokens = {};
  std::optional<uint32_t> budget_ms = {};
  // Ends the sentence and the text before the next token if true. Another
  // thread may set it.
  const std::atomic<bool>* cancel = nullptr;
  // Called for each token; return false to stop. With several
  // beams, tokens are known only when the search has ended. With terms, a
  // translation that is made once more begins at index 0 again.
  TokenCallback on_token = nullptr;
  void* token_context = nullptr;
};

// ---- Options by name ----
//
// For programs that get them as text: a command line, a binding, a file of
// settings. A name is that of the command line with "_" for "-". Lists (terms,
// ids, protected spans) and callbacks have none: set the members. A program
// that calls nothing of this is linked without the names. In C:
// latimer_set_option.

// Sets an option. kInvalidArgument, with its name and what it takes, if there
// is no such option or it takes no such value.
Status SetOption(TranslateOptions* options, std::string_view name,
                 const char* value);

// kInvalidArgument if options contradict each other, or if one has no effect
// because of what others or the model of the translator say. A translation
// ignores such options.
Status CheckOptions(const TranslateOptions& options,
                    const Translator& translator);

}  // namespace latimer

#endif  // LATIMER_OPTIONS_H_
