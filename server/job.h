// The texts of a request, cut into sentences, on their way through one model or
// two. HTML goes through one model: its sentences are not those of the next.
#ifndef LATIMER_SERVER_JOB_H_
#define LATIMER_SERVER_JOB_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "html.h"
#include "latimer/status.h"
#include "latimer/streams.h"
#include "wording.h"

namespace latimer::server {

class Model;

// A model on the way, and its own codes of the languages; empty: it needs none.
struct Leg {
  Model* model = nullptr;
  std::string source = {}, target = {};
};

enum class Format : uint8_t { kText, kHtml };

// Is called before there are so many sentences or lines more, and may throw.
using OnGrowth = std::function<void(size_t)>;
// Memory of one of them, besides its bytes.
inline constexpr size_t kItemBytes = 320;

// A text of a file.
struct FileText {
  std::string text;
  Format format = Format::kText;
};

// What else than the best translation is wanted of plain text.
struct Alternatives {
  uint32_t count = 0;
  // What the translation of the first sentence begins with; the alternatives
  // then are those that differ after it.
  std::optional<std::string> prefix = {};
};

struct Sentence {
  std::string text;                  // What the next model translates.
  std::vector<TextRange> kept = {};  // Of HTML, what stays in it.
  std::string source = {};  // Of the request, after the first of two models.
  std::string space = {};
  SentenceEnd end = SentenceEnd::kLine;
  // Of the last model, the best first; of HTML, the parts of the best.
  std::vector<std::string> translations = {};
  std::vector<HtmlPart> parts = {};
};

struct Segment {
  std::string source, translation;
};

class Job {
 public:
  // Precondition: HTML has one leg, and no alternatives; terms have one leg.
  Job(std::vector<Leg> legs, Wording wording, Alternatives alternatives,
      Format format = Format::kText)
      : legs_(std::move(legs)),
        wording_(std::move(wording)),
        alternatives_(std::move(alternatives)),
        format_(format) {}
  // Ends what was admitted.
  ~Job() {
    if (on_end) on_end();
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // ---- Before it is submitted ----

  // Adds a text, of which lines are kept, or a document of HTML.
  void Add(std::string_view text, const SentenceRules& rules);
  OnGrowth on_growth;
  std::function<void()> on_end;

  // ---- The models ----

  const std::vector<Leg>& legs() const { return legs_; }
  const Wording& wording() const { return wording_; }
  const Alternatives& alternatives() const { return alternatives_; }
  Format format() const { return format_; }
  std::vector<Sentence>& sentences() { return sentences_; }
  // Sentences without text need no model.
  std::vector<size_t> SentencesWithText() const;
  // Whether none before it has text. Precondition: it has some.
  bool IsFirst(size_t sentence) const { return sentence == first_with_text_; }
  const std::atomic<bool>& cancelled() const { return cancelled_; }
  // A sentence has left the last model, or was cancelled.
  void Finish();
  // The job cannot be done; nothing else of it will be. kInvalidArgument: it is
  // the client's fault.
  void Fail(const Status& why);

  // ---- Who waits ----

  // Whether all is done, after waiting up to that long.
  bool WaitFor(std::chrono::milliseconds time);
  void Cancel() { cancelled_ = true; }
  // Once it is done: why it failed, if it did.
  Status error();
  // The translations of a text: the best, and different ones as they come.
  std::vector<std::string> Translations(size_t document) const;
  // The sentences of a text that have words, with their best translations.
  std::vector<Segment> Segments(size_t document) const;

 private:
  struct Html {
    std::string text;
    SentenceRules rules;
  };
  // A text of the request.
  struct Document {
    size_t first_sentence = 0;
    size_t sentences = 0;
    std::unique_ptr<const Html> html = nullptr;
  };

  static constexpr size_t kGrowth = 128;  // Sentences.

  void Push(Sentence sentence);
  void AddSentence(Sentence sentence);
  // White space between sentences of a text, as one sentence without text.
  void AddSpace(std::string_view space);
  void AddText(std::string_view text, const SentenceRules& rules);
  void AddHtml(std::string_view html, const SentenceRules& rules);
  std::span<const Sentence> SentencesOf(const Document& document) const;
  std::string Joined(const Document& document, size_t choice) const;
  std::string JoinedHtml(const Document& document) const;

  const std::vector<Leg> legs_;
  const Wording wording_;
  const Alternatives alternatives_;
  const Format format_;
  std::vector<Document> documents_;
  std::vector<Sentence> sentences_;
  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;
  std::condition_variable done_;
  size_t finished_ = 0;
  size_t with_text_ = 0;
  size_t first_with_text_ = 0;
  Status error_;
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_JOB_H_
