// Translates running text of any length, sentence by sentence, in constant
// memory.
//
//   latimer::TextStream stream(translator, {}, &Print, nullptr);
//   while (more) status = stream.Push(bytes);
//   status = stream.Finish();
//
// A blank line ends a paragraph; a line break within one is white space. Each
// paragraph comes on one line; blank lines and other white space are kept.
#ifndef LATIMER_TEXT_STREAM_H_
#define LATIMER_TEXT_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "latimer/sentence_splitter.h"
#include "latimer/translator.h"

namespace latimer {

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

// A >>language<< code at the beginning of a sentence holds for all that
// follows, up to the next code. One sentence is translated at a time; to
// translate several, use a SentenceSplitter and Translator::Begin.
class TextStream {
 public:
  // Receives the translation in order: all `text`s, one after another. May not
  // use the translator.
  using Receiver = void (*)(void* context, const StreamedText& text);

  // Longest >>language<< code that is kept for what follows, in bytes.
  static constexpr size_t kMaxCodeBytes = 64;

  // Borrows the translator, which has loaded a model, and what `options` view.
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

}  // namespace latimer

#endif  // LATIMER_TEXT_STREAM_H_
