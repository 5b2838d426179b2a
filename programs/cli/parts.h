// The parts of texts that are being translated, in the order of the input,
// until their translations are written.
#ifndef LATIMER_CLI_PARTS_H_
#define LATIMER_CLI_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/input.h"
#include "cli/insight.h"
#include "cli/text_store.h"
#include "latimer/translator.h"

namespace latimer::cli {

// A text, or a part of one.
struct OutputPart {
  enum class State : uint8_t {
    kUnderWay,
    kDone,
    kFailed,  // PartQueue::failure() says why, if it is the first of them.
  };
  // What is unusual about the text whose last part this is.
  enum class Warning : uint8_t { kNone, kCut, kInParts, kLeft, kNotUtf8 };

  bool finished() const { return state != State::kUnderWay; }
  bool failed() const { return state == State::kFailed; }

  uint64_t text_number = 0;
  unsigned long long line = 0;
  State state = State::kUnderWay;
  bool ends_text = false;
  bool space_follows = false;  // In the text.
  StopReason stop_reason = StopReason::kEos;
  Warning warning = Warning::kNone;
  uint64_t text_bytes = 0;  // Of the text, for a warning.
  uint64_t taken = 0;       // Bytes of the input up to the end of the text.
  uint64_t count = 0;       // Its parts, or the bytes that are left of it.
  TextStore::Text translation;
  TextStore::Text space;  // After the text, or its translation up to here.
  // A copy of the text, and what of it this part translates, if its translation
  // keeps something of it, or is aligned or shown.
  std::shared_ptr<const std::string> text;
  std::string_view source;
  std::string cache_key;  // Of a text's first part, if it is to be kept.
  PartInsight insight;
  SentenceEnd end = SentenceEnd::kLine;
};

// A ring of parts and the texts that they keep. Takes all its memory when it is
// made.
class PartQueue {
 public:
  // Holds `most` parts, whose texts take up to `text_bytes` bytes together.
  PartQueue(size_t most, size_t text_bytes)
      : parts_(most), texts_(text_bytes) {}

  // Whether there was memory, and how many bytes further texts may take.
  bool ok() const { return texts_.ok(); }
  size_t room() const { return texts_.room(); }

  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == parts_.size(); }
  OutputPart& first() { return At(0); }
  OutputPart& last() { return At(count_ - 1); }

  // Adds an empty part at the end. Precondition: it is not full.
  OutputPart& Add();
  // Removes a part and its texts.
  void RemoveFirst();
  void RemoveLast();

  // Tickets number the parts. They find a part wherever it is by now; null: it
  // was removed from the end.
  uint64_t last_ticket() const { return removed_ + count_ - 1; }
  OutputPart* Find(uint64_t ticket);

  // Copies `bytes` to `text`, which belongs to a part; there is room.
  void Keep(std::string_view bytes, TextStore::Text* text) {
    texts_.Keep(bytes, text);
  }
  std::string_view View(const TextStore::Text& text) const {
    return texts_.View(text);
  }

  // Marks the part with that ticket. The failure is that of the first part
  // which failed.
  void Fail(uint64_t ticket, const Status& status);
  const Status& failure() const { return failure_; }

 private:
  OutputPart& At(size_t index) {
    return parts_[(first_ + index) % parts_.size()];
  }
  void DropTexts(OutputPart& part);

  // `count_` parts from first_ on, where the end continues at the beginning.
  std::vector<OutputPart> parts_;
  size_t first_ = 0;
  size_t count_ = 0;
  uint64_t removed_ = 0;  // From the beginning: the ticket of the first part.
  TextStore texts_;
  Status failure_;
  uint64_t failed_ticket_ = UINT64_MAX;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_PARTS_H_
