// Lines that are translated several at a time and written in their order.
#ifndef LATIMER_CLI_LINE_QUEUE_H_
#define LATIMER_CLI_LINE_QUEUE_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cli/insight.h"
#include "cli/line_reader.h"
#include "latimer/translator.h"

namespace latimer::cli {

class LineQueue {
 public:
  // Translates up to `lanes` sentences at a time. Borrows all of it.
  LineQueue(Translator& translator, LineReader& reader,
            const TranslateOptions& options, bool ids, uint32_t lanes,
            Insight& insight)
      : translator_(translator),
        reader_(reader),
        options_(options),
        ids_(ids),
        lanes_(lanes),
        insight_(insight) {}

  // Translates all lines, each as soon as it is there, and writes each as soon
  // as it and those before it are done. Prints a sentence and returns kFailure
  // where something is wrong, when all lines before it are written.
  int Run();

 private:
  // A line, or a part of one that exceeds the longest source.
  struct Part {
    unsigned long long line = 0;
    bool done = false;
    bool space_follows = false;
    bool ends_line = false;
    StopReason stop_reason = StopReason::kEos;
    std::string text;
    std::string warning;
    Status status;
  };

  bool BeginMore();
  bool TakeLine(bool wait);
  void BeginPart();
  void BeginIds();
  Part& Append();
  void Finish(const FinishedTranslation& finished);
  bool MustWait() const;
  bool SpendBudget(size_t tokens);
  void EndLineEarly(Part& part);
  void WarnOfStop(const Part& part);
  bool Write(const Part& part);

  Translator& translator_;
  LineReader& reader_;
  const TranslateOptions& options_;
  const bool ids_;
  const uint32_t lanes_;
  Insight& insight_;

  // Begun and not written, in order; the ticket of a part is the number of
  // parts before it.
  std::deque<Part> parts_;
  uint64_t written_ = 0;
  // The line that is being begun, and what of it has not been.
  bool has_line_ = false;
  std::string line_;
  std::string_view rest_;
  TranslateOptions line_options_;
  uint64_t parts_of_line_ = 0;
  std::chrono::steady_clock::time_point line_begun_;
  // Of the parts of a line that were written.
  StopReason worst_ = StopReason::kEos;
  std::vector<int32_t> line_ids_;
  // No more lines come: the input has ended, or a line is wrong.
  bool ended_ = false;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_LINE_QUEUE_H_
