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

#include "cli/input.h"
#include "cli/insight.h"
#include "cli/text_store.h"
#include "cli/workers.h"
#include "latimer/translator.h"

namespace latimer::cli {

// What a text of the input is.
enum class Unit {
  kLine,      // A line; so is its translation.
  kIds,       // A line of ids; so is its translation.
  kSentence,  // A sentence; its white space is kept.
};

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
  enum class Warning : uint8_t { kNone, kCut, kInParts, kLeft, kNotUtf8 };

  // A text, or a part of one that exceeds the longest source.
  struct Part {
    uint64_t text_number = 0;
    unsigned long long line = 0;
    bool done = false;
    bool failed = false;  // failure_ says why, if it is the first of them.
    bool ends_text = false;
    bool space_follows = false;
    StopReason stop_reason = StopReason::kEos;
    Warning warning = Warning::kNone;
    uint64_t text_bytes = 0;  // Of the text, for a warning.
    uint64_t taken = 0;       // Bytes of the input up to the end of the text.
    uint64_t count = 0;       // Its parts, or the bytes that are left of it.
    TextStore::Text translation;
    TextStore::Text space;  // After the text.
    // A copy of the text, and what of it this part translates, if the text is
    // aligned or shown.
    std::shared_ptr<const std::string> text;
    std::string_view source;
    PartInsight insight;
    SentenceEnd end = SentenceEnd::kLine;
  };

  // Begin, and generates a token for each sentence, with the only translator.
  // kFailed: PartAt(0) or the output.
  Round Work(bool wait);

  // Writes a part. Returns false if that failed, after a sentence about it.
  virtual bool Write(Part& part);
  // Whether a part may be written now.
  virtual bool CanWrite() const { return true; }
  // Shows a person what is done.
  virtual void Show() const;

  std::string_view TranslationOf(const Part& part) const {
    return store_.View(part.translation);
  }
  std::string_view SpaceOf(const Part& part) const {
    return store_.View(part.space);
  }
  // Reports what is unusual about a text whose last part this is, and about
  // how it ended.
  void Report(const Part& part);
  void NoteReason(const Part& part) {
    worst_ = std::max(worst_, part.stop_reason);
  }
  // Why the first part that failed did, and which line it is of, after kFailed.
  const Status& failure() const { return failure_; }
  unsigned long long failed_line() { return PartAt(0).line; }

 private:
  bool BeginMore(Translator& translator, uint32_t most, bool wait);
  bool TakeText(bool wait);
  void BeginIds(Translator& translator, Part& part);
  void BeginText(Translator& translator, Part& part);
  void EndText(Part& part);
  void Fail(uint64_t ticket, const Status& status);
  void Leave();
  PartEnd EndOf(const Part& part) const;
  bool WriteJson(const Part& part);
  bool WriteSpace(const Part& part);
  void EndLineOfSentences();
  void Count(const Part& part);
  void BeginWarning(const Part& part) const;
  void Warn(const Part& part) const;
  Part& PartAt(size_t index) {
    return parts_[(first_ + index) % parts_.size()];
  }
  void Drop(Part& part);
  const char* NameOfUnit() const;

  const std::span<Translator* const> translators_;
  Input& input_;
  const Unit unit_;
  const TranslateOptions& options_;
  const uint32_t lanes_;
  Insight& insight_;
  const char* const model_;

  // Parts that have begun and are not written yet, in order, from first_ on,
  // where the end continues at the beginning. The ticket of a part is the
  // number of parts before it.
  std::vector<Part> parts_;
  size_t first_ = 0;
  size_t waiting_ = 0;
  uint64_t written_ = 0;
  size_t under_way_ = 0;  // In all translators.
  // The texts of these parts.
  TextStore store_;
  // Of the first part that failed.
  Status failure_;
  uint64_t failed_ = UINT64_MAX;
  // The text of which not all parts have begun, if any.
  std::optional<TextCursor> cursor_;
  InputText text_;
  // A copy of it, which lives as long as its parts; see Part::text.
  std::shared_ptr<const std::string> kept_text_;
  uint64_t texts_ = 0;
  // Lines, or sentences that are not empty; bytes of the input up to there.
  uint64_t texts_written_ = 0;
  uint64_t bytes_written_ = 0;
  // The text at hand goes on with a sentence that was cut and reported.
  bool goes_on_ = false;
  std::vector<int32_t> ids_;
  std::string text_of_ids_;
  std::string json_text_;  // Of the text at hand, with --json.
  // Of sentences: the number of the paragraph, from 1, and whether a sentence
  // of it, or of the line at hand, was written.
  uint64_t paragraph_ = 1;
  bool paragraph_has_text_ = false;
  bool line_has_text_ = false;
  // The most severe reason of the written parts of the text at hand.
  StopReason worst_ = StopReason::kEos;
  // No more texts are taken: the input has ended, or a text has failed.
  bool ended_ = false;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_ORDERED_WRITER_H_
