// Text and HTML of any size, in constant memory: cut into sentences, and
// translated sentence by sentence.
#ifndef LATIMER_STREAMS_H_
#define LATIMER_STREAMS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "latimer/internal/sentence_scanner.h"
#include "latimer/model_info.h"
#include "latimer/profile_config.h"
#include "latimer/translator.h"

namespace latimer {

// ---- Sentences ----
//
//   latimer::SentenceSplitter splitter(translator.model_info().sentence_rules);
//   latimer::SourceSentence sentence;
//   while (more input or not ended) {
//     size_t taken = splitter.Push(bytes);      // or splitter.End();
//     while (splitter.Next(&sentence)) ...
//   }
//
// The sentences, with the white space after each, are the text, byte by byte,
// whatever the sizes of the chunks that were pushed. Nothing allocates.

// What follows a sentence.
enum class SentenceEnd : uint8_t {
  kSentence,   // The next sentence of the same paragraph.
  kLine,       // The next item of a list.
  kParagraph,  // A blank line, or another line of white space.
  kCut,        // The rest of the sentence, which is longer than kMostBytes.
  kText,       // The end of the text.
};

// A sentence, and where it was.
struct SourceSentence {
  // Without white space at its ends; may span lines. Empty: there is only white
  // space.
  std::string_view sentence;
  // The white space after it, up to the next sentence.
  std::string_view space;
  SentenceEnd end = SentenceEnd::kText;
  uint64_t line = 1;  // The line of the text that it begins on, from 1.
};

class SentenceSplitter {
 public:
  // Longest sentence in bytes.
  static constexpr size_t kMostBytes = 8192;

  // `rules` view a model image that outlives this object.
  explicit SentenceSplitter(const SentenceRules& rules)
      : scanner_(rules, SentenceScanner::Lines::kWrapped) {}
  // Not copied: the sentences view this object.
  SentenceSplitter(const SentenceSplitter&) = delete;
  SentenceSplitter& operator=(const SentenceSplitter&) = delete;

  // Takes as many bytes of the text as there is room for and returns how many:
  // more than 0 after Next has returned false. Bytes that are not UTF-8 count
  // as letters.
  size_t Push(std::string_view bytes);

  // Says that the text has ended. After Next has returned false, bytes that are
  // pushed begin a new text.
  void End() { ended_ = true; }

  // Returns in `*out` the next sentence, which lives until the next Push, as
  // soon as the bytes pushed show where it ends. Returns false if more bytes
  // are needed or the text has ended. Takes time linear in the text.
  bool Next(SourceSentence* out);

  // The last sentence from Next, on one line: white space with a line break
  // becomes one space, or nothing between Chinese or Japanese characters.
  // Overwrites the sentence.
  std::string_view JoinLines(const SourceSentence& in);

 private:
  std::string_view Rest() const { return {buffer_ + begin_, end_ - begin_}; }
  void Give(const SentencePlace& place, SourceSentence* out);

  SentenceScanner scanner_;
  bool ended_ = false;
  size_t begin_ = 0;  // Of the bytes not returned yet.
  size_t end_ = 0;    // Of the bytes pushed.
  uint64_t line_ = 1;
  char buffer_[kMostBytes];
};

// The white space to write after the translation of a sentence, given the white
// space after the sentence and what follows it. Most white space is kept. A
// line break within a paragraph becomes a space; where sentences have no white
// space between them, a space is added if the script of the translation uses
// one. May view `space`.
std::string_view SpaceAfter(std::string_view translation,
                            std::string_view space, SentenceEnd end);

// ---- Running text ----
//
//   latimer::TextStream stream(translator, {}, &Print, nullptr);
//   while (more) status = stream.Push(bytes);
//   status = stream.Finish();
//
// A blank line ends a paragraph; a line break within one is white space. Each
// paragraph comes on one line; blank lines and other white space are kept.

// A portion of the translation; views live until the receiver returns.
struct StreamedText {
  std::string_view text;
  // What it translates; empty for the white space between sentences.
  std::string_view source;
  uint64_t line = 1;  // Line of the text that the sentence begins on.
  // The sentence goes on after this part: it exceeds the longest source.
  bool cut = false;
  StopReason stop_reason = StopReason::kEos;
};

// A >>language<< code of up to 64 bytes at the beginning of a sentence holds
// for all that follows, up to the next code. One sentence is translated at a
// time; to translate several, use a SentenceSplitter and Translator::Begin.
class TextStream {
 public:
  // Receives the translation in order: all `text`s, one after another. May not
  // use the translator.
  using Receiver = void (*)(void* context, const StreamedText& text);

  // Borrows the translator, which has loaded a model, and what `options` view;
  // see TranslateOptions.
  // They apply to each sentence by itself: each has the whole budget, begins
  // with the target prefix, and has a stream of sampling, from 1. The
  // translation of a cancelled sentence is empty or cut short, and so are those
  // that follow while the flag is true.
  TextStream(Translator& translator, const TranslateOptions& options,
             Receiver receiver, void* context);

  // Takes more of the text, any bytes, and translates the sentences that are
  // now complete. Errors: those of Translator::TranslateNext, and
  // kInvalidArgument if the options have protected ranges; the text then
  // ends at the sentence that failed, the rest of it is dropped, and the next
  // Push begins another text.
  Status Push(std::string_view bytes);

  // Translates what is left. The next Push begins another text.
  Status Finish();

 private:
  static constexpr size_t kMaxCodeBytes = 64;

  Status TranslateSentences();
  Status TranslateSentence(const SourceSentence& sentence);
  void DropText();
  void KeepCode(std::string_view code);

  Translator& translator_;
  TranslateOptions options_;
  Receiver receiver_;
  void* context_;
  SentenceSplitter splitter_;
  uint64_t sentences_ = 0;
  size_t code_bytes_ = 0;
  char code_[kMaxCodeBytes];
};

// ---- HTML ----
//
//   latimer::HtmlStream stream(translator, {}, &Write, nullptr);
//   while (more) status = stream.Push(bytes);
//   status = stream.Finish();
//
// Every tag of the input is in the output once, byte for byte, and the output
// is well-formed if the input is. What is not text is not touched: comments,
// scripts, attributes, <pre>, <code> and the like, and elements with
// translate="no" or class="notranslate". The encoding is UTF-8. The profile
// needs `alignment`.
//
// With two models, the receiver of the first stream pushes what it gets into
// the second one, on top of the stack of the first. After the first has
// finished, so must the second.

class HtmlStream {
 public:
  // Receives the output in order.
  using Receiver = void (*)(void* context, std::string_view html);

  // Borrows the translator, which has loaded a model with room for alignments
  // (LoadOptions::alignment), and what `options` view. They apply to each
  // sentence by itself: each has the whole budget and begins with the target
  // prefix. Protected ranges are refused. The receiver may not use the
  // translator.
  HtmlStream(Translator& translator, const TranslateOptions& options,
             Receiver receiver, void* context);
  HtmlStream(const HtmlStream&) = delete;
  HtmlStream& operator=(const HtmlStream&) = delete;
  ~HtmlStream();

  // Takes more of the document, any bytes. As many sentences as the workspace
  // has lanes for are under way when it returns, so the translator is not idle
  // before Finish. Errors: those of Translator::Begin and Advance; the document
  // then ends there, and this object is of no further use.
  Status Push(std::string_view bytes);

  // Writes the translations of all sentences that have begun.
  Status Flush() { return Translate(/*all=*/true); }

  // Translates what is left. The next Push begins another document.
  Status Finish();

  // Of all sentences so far: how many, and the most severe reason.
  uint64_t sentences() const { return sentences_; }
  StopReason stop_reason() const { return stop_reason_; }

 private:
  struct Document;  // Lies in document_.

  // For the windows of the input and of its tags, the sentences that have
  // begun, and scratch for one that finishes.
  static constexpr size_t kDocumentBytes =
      sizeof(SentenceSplitter) + (61 + 2 * size_t{kProfile.lanes}) * 1024 +
      6 * 4096 + (2 * size_t{kProfile.lanes} + 2) * 64 +
      size_t{kProfile.target_tokens} * 24;

  Document& document() { return *reinterpret_cast<Document*>(document_); }
  Status Translate(bool all);
  Status BeginWaiting();
  Status Advance();

  Translator& translator_;
  TranslateOptions options_;
  uint64_t sentences_ = 0;
  StopReason stop_reason_ = StopReason::kEos;
  alignas(16) std::byte document_[kDocumentBytes];
};

}  // namespace latimer

#endif  // LATIMER_STREAMS_H_
