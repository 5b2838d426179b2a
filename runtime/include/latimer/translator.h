// The public C++ API: load a model, translate text or token ids.
//
//   static latimer::Workspace workspace;            // in .bss
//   latimer::Translator translator;
//   latimer::Status status = translator.Load(image, &workspace);
//   auto translation = translator.Translate("How are you?");
//   if (translation.ok()) puts_view(translation->text);
//
// Loading may fail; nothing allocates. With one thread no function here calls
// an allocator or the kernel; with more, Load creates the threads.
#ifndef LATIMER_TRANSLATOR_H_
#define LATIMER_TRANSLATOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/insight.h"
#include "latimer/memory.h"
#include "latimer/model_info.h"
#include "latimer/operation_times.h"
#include "latimer/status.h"
#include "latimer/stop.h"

namespace latimer {

struct LoadOptions {
  // Threads that share the work of one sentence, this one included.
  uint32_t threads = 1;
  // Bind each thread but this one to a processor of its own.
  bool pin_threads = false;
  // false skips the pass over the file that finds damaged weights.
  bool verify_checksum = true;
  // Pretend that the CPU has no more than this: "sse41", "avx2", "avxvnni",
  // "avx512" ("neon", "dotprod", "i8mm"); null: use all. For tests.
  const char* cpu = nullptr;
};

struct TranslateOptions {
  // Generated tokens, EOS included, up to Translator::max_target_tokens();
  // 0: the limit among the model's generation rules.
  uint32_t max_target_tokens = 0;
  // EOS is not allowed before this many tokens.
  uint32_t min_target_tokens = 0;
  // Put before the text, as if it stood there: ">>deu<<" for models that
  // translate into several languages. Empty: none but the text's own.
  std::string_view language_code = {};
  // Codes among GenerationConfig::languages, "eng_Latn": what a model that has
  // languages must be told to translate a text. Ids are taken as they are; the
  // target's language still holds where it is given.
  std::string_view source_language = {};
  std::string_view target_language = {};
  // Name among GenerationConfig::tasks: its prefix, and its limits in the place
  // of the model's.
  std::string_view task = {};
  // Put before each text, part by part, as the task's prefix is, which it
  // replaces: "summarize: ". It is tokenized by itself.
  std::string_view prefix = {};
  // Target id that is forced as the first token; -1: the target language's, or
  // the model's if it has one.
  int32_t forced_first_token = -1;
  // -1: the model's; 0: off.
  int32_t no_repeat_ngram = -1;
  // 0: the model's; 1: off.
  float repetition_penalty = 0;
  // Target ids that may not be produced.
  std::span<const int32_t> suppressed = {};
  // What to keep for Translation::attention and Translation::scores. Both need
  // a profile that has room for them.
  AttentionKind attention = AttentionKind::kNone;
  bool scores = false;
  // Where to add the time that each group of work takes; null: no clock is
  // read.
  OperationTimes* times = nullptr;
  // Stop loops, and what is far longer than a translation: see stop.h. false:
  // plain greedy search, which ids always have.
  bool guards = true;
  // What the call may use, all parts of its text together: generated tokens,
  // and milliseconds from its begin, looked at before the encoder and before
  // each token. 0: no limit. Of BeginPart and BeginIds that of the sentence.
  uint32_t budget_tokens = 0;
  uint32_t budget_ms = 0;
  // Ends the sentence, and the call, before the next token where it is true.
  // Another thread may set it. It must live until the sentence has finished.
  const std::atomic<bool>* cancel = nullptr;
  // Told each token; may end the sentence, and the call. Null: nobody is.
  TokenCallback on_token = nullptr;
  void* token_context = nullptr;
};

// A translation; views into the workspace, valid until the next call.
struct Translation {
  // Detokenized UTF-8; empty for TranslateIds.
  std::string_view text;
  // Target ids without decoder_start, EOS included when it was produced. Of a
  // loop the first copy, whatever TranslateOptions::on_token was told.
  std::span<const int32_t> tokens;
  // Of a text in several parts the most severe.
  StopReason stop_reason = StopReason::kEos;
  // Tokens that were generated, in all parts, those of a loop included.
  size_t generated_tokens = 0;
  // Source ids that were read, with what the model has around every text.
  std::span<const int32_t> source;
  // What the options asked for: see insight.h. One score for each of `tokens`.
  AttentionWeights attention;
  std::span<const TokenScore> scores;

  // For TranslatePart. Bytes of the source that this part ends at, the white
  // space after it included; whether there was any; and the language code that
  // the source began with or was given, to be given with the rest. Translate
  // gives the bytes of all parts that it began: less than the text only where
  // a budget or the caller ended it.
  size_t source_bytes = 0;
  bool space_follows = false;
  std::string_view language_code;
};

// A sentence that BeginPart or BeginIds began.
struct FinishedTranslation {
  uint64_t ticket = 0;  // What it was begun with.
  // Those of TranslatePart and TranslateIds that show at the end: kTextTooLong.
  Status status;
  // Without source_bytes, space_follows and language_code.
  Translation translation;
};

// One model in one workspace. Not thread-safe; two translators with a
// workspace each may share an image.
class Translator {
 public:
  Translator() = default;
  ~Translator();
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;

  // Verifies the model and prepares `*workspace`. The image must be 64-byte
  // aligned; image and workspace must outlive the translator. May be called
  // again. Errors: those of the file (kNotAModel, kTruncated, kCorrupt,
  // kUnsupportedVersion, kExceedsProfile, kTileNotInBuild), kUnsupportedCpu,
  // kInvalidArgument, kResourceUnavailable (threads).
  Status Load(std::span<const std::byte> image, Workspace* workspace,
              const LoadOptions& options = {});

  // Translates a text of one or more sentences. One that exceeds the longest
  // source is cut at sentence ends, else at spaces, translated part by part and
  // joined with spaces; nothing is dropped. Each byte of invalid UTF-8 becomes
  // U+FFFD, which is an unknown token to most models; NUL is a character.
  // `tokens` are those of the last part. Where a budget or the caller ends a
  // part, the parts after it are not begun: see source_bytes. Errors:
  // kFailedPrecondition (no model or no tokenizer), kTextTooLong (the
  // translation exceeds the profile's text_bytes; use TranslatePart).
  Result<Translation> Translate(std::string_view text,
                                const TranslateOptions& options = {});

  // Translates the longest beginning of `text` that fits and ends at a good
  // place. Call again with what follows source_bytes, and with language_code,
  // until nothing is left: text of any length. kTextTooLong only where a single
  // character is more than the model's longest source.
  Result<Translation> TranslatePart(std::string_view text,
                                    const TranslateOptions& options = {});

  // Translates source ids as they are: no EOS is added. Errors:
  // kFailedPrecondition, kInvalidArgument (none, too many, or an id outside the
  // vocabulary).
  Result<Translation> TranslateIds(std::span<const int32_t> source,
                                   const TranslateOptions& options = {});

  // ---- Several sentences at a time ----
  //
  // Up to kProfile.lanes sentences are decoded side by side, so that the
  // weights are read once for a token of each; one that has finished leaves its
  // lane to the next at once. Each gets the tokens that it gets alone.
  //
  //   while (more || translator.under_way() > 0) {
  //     while (more && translator.CanBegin()) { ... translator.BeginIds(...) }
  //     if (translator.Advance(&finished)) ... finished.ticket ...
  //   }

  // Begins the longest beginning of `text` that fits, as TranslatePart does,
  // and returns source, source_bytes, space_follows and language_code. What
  // follows may begin at once, as another sentence. Text and strings of the
  // options need to live only until the call returns, `suppressed` until the
  // sentence has finished. Errors: those of TranslatePart, and
  // kFailedPrecondition where CanBegin() is false, or where attention or scores
  // are to be kept while other sentences are under way.
  Result<Translation> BeginPart(std::string_view text,
                                const TranslateOptions& options,
                                uint64_t ticket);

  // The same of source ids, as TranslateIds does.
  Status BeginIds(std::span<const int32_t> source,
                  const TranslateOptions& options, uint64_t ticket);

  // Makes one more token of each sentence that has begun, unless one has
  // finished already. True: `*out` is one that has finished, those that began
  // first before others; its views are valid until the next call.
  bool Advance(FinishedTranslation* out);

  // Whether a sentence may begin; one whose attention or scores are kept is
  // alone.
  bool CanBegin() const;

  // Sentences that have begun and were not given by Advance. While there are
  // any, Translate, TranslatePart and TranslateIds fail with
  // kFailedPrecondition.
  size_t under_way() const;

  // ---- Text and ids ----

  // Source ids of a text, EOS included, as Hugging Face's tokenizer gives them;
  // not limited by the longest source. Returns their number. Errors:
  // kFailedPrecondition, kTextTooLong (more than `ids` or the tokenizer hold).
  Result<size_t> Tokenize(std::string_view text, std::span<int32_t> ids);

  // Bytes of the >>language<< code that `text` begins with; 0: none, or the
  // model has no codes.
  size_t LanguageCodeBytes(std::string_view text) const;

  // The text of target ids; special tokens are left out. Views the workspace.
  Result<std::string_view> Detokenize(std::span<const int32_t> ids);

  // Longest piece in bytes.
  static constexpr size_t kMaxPieceBytes = 1023;
  // Text of a source token as the tokenizer has it, with U+2581 for a space,
  // written to `out`, of kMaxPieceBytes; empty without a tokenizer or such a
  // token. Searches the vocabulary: for showing, not for translating.
  std::string_view SourcePiece(int32_t id, std::span<char> out) const;
  // The same of a target token, in the image.
  std::string_view TargetPiece(int32_t id) const;

  // Precondition of these: Load succeeded.
  const ModelInfo& model_info() const;
  // Longest source and longest translation in tokens, EOS included, that the
  // profile and the model's position tables hold.
  uint32_t max_source_tokens() const;
  uint32_t max_target_tokens() const;
  uint32_t threads() const;
  // Bytes of weights that each generated token reads in one group of work, a
  // shortlist left aside.
  uint64_t weight_bytes_per_token(Operation group) const;
  // Names of the kernels in use: 0 is the GEMM for one row, then those for
  // more rows, quantization, and the vector kernels; null past the last.
  const char* kernel_name(int index) const;

 private:
  struct State;
  Status LoadState(std::span<const std::byte> image, Workspace* workspace,
                   const LoadOptions& options);

  State* state_ = nullptr;  // in the workspace
};

}  // namespace latimer

#endif  // LATIMER_TRANSLATOR_H_
