// The public C++ API: load a model, translate text or token ids.
//
//   static latimer::Workspace workspace;            // in .bss
//   latimer::Translator translator;
//   latimer::Status status = translator.Load(image, &workspace);
//   auto translation = translator.Translate("How are you?");
//   if (translation.ok()) Write(translation->text);
//
// Loading may fail; nothing allocates. With one thread no function here calls
// an allocator or the kernel; with more, Load creates the threads.
#ifndef LATIMER_TRANSLATOR_H_
#define LATIMER_TRANSLATOR_H_

#if !defined(_MSVC_LANG) && __cplusplus < 202002L
#error "Latimer's C++ API needs C++20: compile with -std=c++20."
#endif

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/internal/memory_plan.h"
#include "latimer/model_info.h"
#include "latimer/options.h"
#include "latimer/status.h"
#include "latimer/text_cursor.h"
#include "latimer/translation.h"

namespace latimer {

// All bytes that translation writes: a static object, or memory that is as
// large, in .bss or anywhere else. It is far too large for a stack: megabytes,
// or with the profile of a PC hundreds of them, of which a model touches what
// it needs. HostedModel (latimer/hosted_model.h) takes no more than that. It
// must outlive the Translator that was loaded into it.
struct Workspace {
  Workspace() {}  // NOLINT: new Workspace() touches nothing.

  alignas(64) std::byte bytes[WorkspaceBytes(kProfile)];
};

// A sentence that Begin or BeginIds began.
struct FinishedTranslation {
  uint64_t ticket = 0;  // What it was begun with.
  // Errors that show only at the end: kTextTooLong.
  Status status;
  // Its source_bytes are 0: the cursor knows them.
  Translation translation;
};

// One model in one workspace. Not thread-safe; two translators with a
// workspace each may share an image. Several models work side by side in a
// translator and a workspace each, or take turns in one: Load again replaces
// the model, and takes as long as the first time.
//
// What a call returns views the workspace, and is valid until the next call of
// this translator that is not const. What a call is given must live as
// TranslateOptions says.
class Translator {
 public:
  Translator() = default;
  ~Translator();
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;

  // Verifies the model and prepares `*workspace`. The image must be 64-byte
  // aligned; image and workspace must outlive the translator. Leave out the
  // last argument: it tells the library how large the caller's profile is.
  //
  // May be called again, with the same workspace or another: it drops the
  // sentences under way, checks the new model, and only then unloads the old
  // one. If it fails, the old model stays loaded, so its image must stay, too.
  // Two failures leave no model: kResourceUnavailable, and those in a workspace
  // of less than three times Buffer::kState, some 24 KB, where there is no room
  // to check.
  //
  // Errors: those of the file (kNotAModel, kTruncated, kCorrupt,
  // kUnsupportedVersion, kExceedsProfile, kTileNotInBuild), kUnsupportedCpu,
  // kInvalidArgument, kResourceUnavailable (the system refused a thread).
  Status Load(std::span<const std::byte> image, Workspace* workspace,
              const LoadOptions& options = {},
              size_t workspace_bytes = sizeof(Workspace));

  // Loads the model into memory of any size, 64-byte aligned, of which it takes
  // what it needs: PlanWorkspace (latimer/plan.h) says how much that is. More
  // gives the caches of several lanes more room. Errors as above;
  // kInvalidArgument if the memory is too little.
  Status Load(std::span<const std::byte> image, std::span<std::byte> workspace,
              const LoadOptions& options = {});

  // Translates a text of one or more sentences, part by part; TextCursor says
  // what a part is. The white space between parts is kept, that at the ends of
  // the text is not. Translation says what it
  // tells of a text of several parts. Each byte of invalid UTF-8
  // becomes U+FFFD, which is an unknown token to most models; NUL is a
  // character. Errors: kFailedPrecondition (no model, no tokenizer, or
  // sentences under way), kInvalidArgument (what the options name is not in the
  // model), kTextTooLong (the translation exceeds the profile's text_bytes; use
  // TranslateNext).
  Result<Translation> Translate(std::string_view text,
                                const TranslateOptions& options = {});

  // Translates the next part of a text of any length. Precondition:
  // !cursor.done(). Errors: those of Translate, but kTextTooLong only if a
  // single character has more tokens than the model's longest source.
  Result<Translation> TranslateNext(TextCursor& cursor);

  // Translates source ids as they are: no EOS is added, but ids that are too
  // few for a model with a fixed source length are padded. Errors:
  // kFailedPrecondition, kInvalidArgument (no ids, too many, or an id outside
  // the vocabulary).
  Result<Translation> TranslateIds(std::span<const int32_t> source,
                                   const TranslateOptions& options = {});

  // ---- Several sentences at a time ----
  //
  // Up to kProfile.lanes sentences are decoded side by side, so that the
  // weights are read once for one token of each. A sentence that has finished
  // leaves its lane to the next at once. Each gets the tokens that it gets
  // alone.
  //
  //   while (more || translator.under_way() > 0) {
  //     while (more && translator.CanBegin()) { ... translator.Begin(...) }
  //     if (translator.Advance(&finished)) ... finished.ticket ...
  //   }

  // Begins the next part of a text, as TranslateNext does. Further parts may
  // begin while cursor.CanBegin(); once a part has finished, the caller passes
  // it to cursor.Finish. Errors: those of TranslateNext, and
  // kFailedPrecondition if CanBegin() is false, or if attention is to be
  // recorded while other sentences are under way.
  Status Begin(TextCursor& cursor, uint64_t ticket);

  // Begins the translation of source ids, as TranslateIds does.
  Status BeginIds(std::span<const int32_t> source,
                  const TranslateOptions& options, uint64_t ticket);

  // Generates one more token for each sentence that has begun, unless one has
  // finished already. Returns true if `*out` is a finished one, the oldest
  // first.
  bool Advance(FinishedTranslation* out);

  // Whether a sentence may begin. One whose attention is recorded runs alone.
  bool CanBegin() const;

  // Sentences that have begun and were not yet returned by Advance. While there
  // are any, Translate, TranslateNext and TranslateIds fail with
  // kFailedPrecondition.
  size_t under_way() const;

  // ---- Text and ids ----

  // Writes the source ids of a text, EOS included, as Hugging Face's tokenizer
  // does, however long the text is. Returns their number. Errors:
  // kFailedPrecondition, kTextTooLong (more than `ids` or the tokenizer holds).
  Result<size_t> Tokenize(std::string_view text, std::span<int32_t> ids);
  // Writes the ids that the encoder reads if the text fits: with what the
  // options put around a text, such as tokens of languages and the prefix of
  // the task. Errors as above, and kInvalidArgument, as Translate.
  Result<size_t> Tokenize(std::string_view text,
                          const TranslateOptions& options,
                          std::span<int32_t> ids);

  // The number of ids that Tokenize writes for a text. Errors:
  // kFailedPrecondition, kTextTooLong (more than the tokenizer holds).
  Result<size_t> CountTokens(std::string_view text);

  // Writes the ids of a text of the target, without EOS, as Hugging Face's
  // tokenizer(text_target=...) does: for a target prefix or a banned word.
  // Returns their number. Errors: kFailedPrecondition, kInvalidArgument (see
  // ModelInfo::encodes_target), kTextTooLong.
  Result<size_t> TokenizeTarget(std::string_view text, std::span<int32_t> ids);

  // Writes the scores of the words of a translation that has token scores, and
  // that nothing was translated after. Returns their number, at most that of
  // the tokens. EOS belongs to no word. Takes time quadratic in the tokens.
  // Errors: kFailedPrecondition (no scores, several parts, or a protected span
  // that its tokens do not spell), kTextTooLong (more words than `out` holds).
  Result<size_t> ScoreWords(const Translation& translation,
                            std::span<WordScore> out);

  // Whether a term's target can come out, which a translation otherwise says
  // when the term is in its text. Overwrites the last translation.
  // Errors: kFailedPrecondition (sentences are under way), kInvalidArgument (a
  // target without tokens, with too many, or with some that the model cannot
  // write; terms need ModelInfo::encodes_target).
  Status CheckTerm(const Term& term);

  // Bytes of the >>language<< code that `text` begins with; 0 if there is none
  // or the model has no such codes.
  size_t LanguageCodeBytes(std::string_view text) const;

  // The text of target ids; special tokens are left out.
  Result<std::string_view> Detokenize(std::span<const int32_t> ids);

  // The text of hypotheses[index] of the translation of a text, or of a part of
  // one, that finished last; or with index 0 of one without hypotheses. As
  // Translation::text it has what the options protect and the model cannot
  // read, and it takes the place of that text.
  // Errors: kInvalidArgument (there is none, as of a text in several parts),
  // those of Detokenize.
  Result<std::string_view> HypothesisText(size_t index);

  // Longest piece in bytes.
  static constexpr size_t kMaxPieceBytes = 1023;
  // The piece of a source token, with U+2581 for a space, written to `out` of
  // kMaxPieceBytes bytes; empty if there is no tokenizer or no such token.
  // Searches the vocabulary, which is slow, so it is for display only.
  std::string_view SourcePiece(int32_t id, std::span<char> out) const;
  // The piece of a target token, which views the image; empty as above.
  std::string_view TargetPiece(int32_t id) const;

  // Precondition of these: Load succeeded.
  const ModelInfo& model_info() const;
  // Longest source and longest translation in tokens, EOS included, that the
  // profile and the model's position tables hold; of a model with a fixed
  // source length, that length.
  uint32_t max_source_tokens() const;
  uint32_t max_target_tokens() const;
  // Most beams of a sentence that the workspace has room for.
  uint32_t max_beams() const;
  uint32_t threads() const;

 private:
  friend class Internals;  // Of the library itself.
  friend class Transcriber;
  struct State;

  State* state_ = nullptr;  // in the workspace
};

}  // namespace latimer

#endif  // LATIMER_TRANSLATOR_H_
