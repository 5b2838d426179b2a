// Translates texts, several at a time, and writes their translations in the
// order of the input.
//
// A line begins as soon as it arrives, and nothing waits for input while a
// translation is owed. If the program is interrupted, all finished lines are
// written whole; a line that has parts to come is left without a line break. If
// the reader goes away, the program ends quietly by SIGPIPE, or with exit code
// 1 if that is ignored; if the disk is full, with a sentence and exit code 1.
#ifndef LATIMER_CLI_ORDERED_WRITER_H_
#define LATIMER_CLI_ORDERED_WRITER_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/exact_cache.h"
#include "cli/input.h"
#include "cli/insight.h"
#include "cli/parts.h"
#include "cli/workers.h"
#include "latimer/translator.h"

namespace latimer::cli {

// What a text of the input is.
enum class Unit {
  kLine,      // A line; so is its translation.
  kIds,       // A line of ids; so is its translation.
  kSentence,  // A sentence; its white space is kept.
};

// The most that --cache may ask for.
inline constexpr uint32_t kMostCacheMiB = 2047;

class OrderedWriter : public SharedWork {
 public:
  // Translates up to `lanes` sentences at a time with each of the translators,
  // which have loaded the same model. Borrows its arguments. Takes all the
  // memory that Run needs, except for attention, alignments, scores, JSON and
  // threads.
  // `model` is named in warnings; null: there is only one.
  OrderedWriter(std::span<Translator* const> translators, Input& input,
                Unit unit, const TranslateOptions& options, uint32_t lanes,
                Insight& insight, const char* model = nullptr);

  // Keeps translations within so many bytes, and takes those of later texts
  // that are equal from there. Precondition: only text is written, and equal
  // texts have equal translations, which samples do not.
  void KeepTranslations(size_t bytes) { cache_.emplace(bytes); }

  // Translates all of the input. Begins each text as soon as it is there, and
  // writes each translation as soon as it and those before it are done. Reports
  // on standard error which texts were cut or did not end by themselves. On an
  // error, writes everything before it, prints a sentence, and returns
  // kFailure. When the program is interrupted, it finishes the texts all of
  // whose parts have begun.
  int Run();

  Round Begin(Translator& translator, uint32_t most, bool wait) final;
  void Finish(Translator& translator,
              const FinishedTranslation& finished) final;

 protected:
  // Begin, and generates a token for each sentence, with the only translator.
  // kFailed: the first part, or the output.
  Round Work(bool wait);

  // Writes a part. Returns false if that failed, after a sentence about it.
  virtual bool Write(OutputPart& part);
  // Whether a part may be written now.
  virtual bool CanWrite() const { return true; }
  // Shows a person what is done.
  virtual void Show() const;

  std::string_view TranslationOf(const OutputPart& part) const {
    return parts_.View(part.translation);
  }
  std::string_view SpaceOf(const OutputPart& part) const {
    return parts_.View(part.space);
  }
  // Reports what is unusual about a text whose last part this is, and about
  // how it ended.
  void Report(const OutputPart& part);
  void NoteReason(const OutputPart& part) {
    worst_reason_ = std::max(worst_reason_, part.stop_reason);
  }
  // Why the first part that failed did, and which line it is of, after kFailed.
  const Status& failure() const { return parts_.failure(); }
  unsigned long long failed_line() { return parts_.first().line; }

 private:
  // The text at hand: the last one that was taken of the input.
  enum class TextState : uint8_t {
    kNone,       // All its parts have begun: the next text may be taken.
    kBeginning,  // Not all of its parts have begun.
    kNoMore,     // After the last text, a failure or an interruption.
  };

  bool BeginPart(Translator& translator, uint32_t most, bool wait);
  bool TakeText(bool wait);
  bool ShowsTexts() const;
  std::string CacheKey() const;
  bool TakeKept(OutputPart& part);
  void KeepTranslation(OutputPart& part);
  std::shared_ptr<const std::string> CopyOfText();
  void BeginIds(Translator& translator, OutputPart& part);
  void BeginText(Translator& translator, OutputPart& part);
  void EndText(OutputPart& part);
  void Fail(uint64_t ticket, const Status& status);
  void TakeNoMoreTexts();
  PartEnd EndOf(const OutputPart& part) const;
  bool WriteJson(const OutputPart& part);
  bool WriteSpace(const OutputPart& part);
  void EndLineOfSentences();
  void Count(const OutputPart& part);
  void BeginWarning(const OutputPart& part) const;
  void Warn(const OutputPart& part) const;
  Json CheckNumbersOf(const OutputPart& part);
  const char* NameOfUnit() const;

  const std::span<Translator* const> translators_;
  Input& input_;
  const Unit unit_;
  const TranslateOptions& options_;
  const uint32_t lanes_;
  Insight& insight_;
  const char* const model_;

  PartQueue parts_;       // That have begun and are not written yet.
  size_t under_way_ = 0;  // Sentences in all translators.
  // The text at hand, its number, and how far its parts have begun.
  TextState text_state_ = TextState::kNone;
  InputText text_;
  uint64_t texts_taken_ = 0;
  std::optional<TextCursor> cursor_;
  // A copy of it, which lives as long as its parts; see OutputPart::text.
  std::shared_ptr<const std::string> kept_text_;
  // Memory for such copies, while no more than lanes are needed.
  std::vector<std::shared_ptr<std::string>> copies_;
  // It goes on with a sentence that was cut, and a warning has said so.
  bool cut_reported_ = false;
  // The translations of texts, by CacheKey().
  struct Kept {
    std::string translation;
    StopReason stop_reason = StopReason::kEos;
    OutputPart::Warning warning = OutputPart::Warning::kNone;
    uint64_t parts = 0;
  };
  std::optional<ExactCache<Kept>> cache_;
  // Of the text that is being written, if it is to be kept.
  std::string key_to_keep_;
  Kept to_keep_;
  // Lines, or sentences that are not empty; bytes of the input up to there.
  uint64_t texts_written_ = 0;
  uint64_t bytes_written_ = 0;
  std::vector<int32_t> ids_;
  std::string text_of_ids_;
  // The translation of the text at hand, with --json and --check-numbers.
  std::string translation_;
  // Of sentences: the number of the paragraph, from 1, and whether a sentence
  // of it, or of the line at hand, was written.
  uint64_t paragraph_ = 1;
  bool paragraph_has_text_ = false;
  bool line_has_text_ = false;
  // The most severe reason of the written parts of the text at hand.
  StopReason worst_reason_ = StopReason::kEos;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_ORDERED_WRITER_H_
