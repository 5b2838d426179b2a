// Running text whose sentences are translated several at a time and written in
// their order.
#ifndef LATIMER_CLI_TEXT_QUEUE_H_
#define LATIMER_CLI_TEXT_QUEUE_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "latimer/sentence_splitter.h"
#include "latimer/translator.h"

namespace latimer::cli {

class TextQueue {
 public:
  // Translates up to `lanes` sentences at a time, of `text`, or where that is
  // null of standard input. Borrows all of it.
  TextQueue(Translator& translator, const char* text,
            const TranslateOptions& options, uint32_t lanes);

  // Translates the whole text, each sentence as soon as its end is there, and
  // writes each as soon as it and those before it are done. Prints a sentence
  // and returns kFailure where something is wrong, when all before it is
  // written.
  int Run();

 private:
  // A sentence, or a part of one that exceeds the longest source.
  struct Part {
    unsigned long long line = 0;
    bool done = false;
    bool ends_sentence = false;
    SentenceEnd end =
        SentenceEnd::kSentence;  // Of the last part of a sentence.
    std::string text;
    std::string space;  // Behind it.
    std::string warning;
    StopReason stop_reason = StopReason::kEos;
    Status status;
  };

  bool BeginMore();
  bool TakePiece(bool wait);
  bool Read(bool wait);
  void BeginPart();
  void Fail(Part& part, const Status& status);
  bool Write(const Part& part);

  Translator& translator_;
  TranslateOptions options_;
  const uint32_t lanes_;
  const bool reads_input_;
  SentenceSplitter splitter_;

  // Begun and not written, in order; the ticket of a part is the number of
  // parts before it.
  std::deque<Part> parts_;
  uint64_t written_ = 0;
  // The piece that is being begun, and what of its sentence has not been.
  bool has_piece_ = false;
  SourceSentence piece_;
  std::string_view rest_;
  unsigned long long parts_of_piece_ = 0;
  size_t sentence_bytes_ = 0;
  // The >>language<< code that the text had last, and that of the sentence.
  std::string code_;
  TranslateOptions piece_options_;

  std::string buffer_;  // Read and not yet pushed is `pending_`.
  std::string_view pending_;
  bool input_ended_ = false;
  bool told_end_ = false;
  int error_ = 0;
  // No more pieces come: the text has ended, or something is wrong.
  bool ended_ = false;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_TEXT_QUEUE_H_
