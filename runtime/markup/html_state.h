// The state of HtmlText: from HTML to sentences and back.
//
// Text goes into a SentenceSplitter; the tags between go into a list, each with
// its place in the text. What ends a sentence in any case, such as <p>, ends
// the block: the splitter gives its last sentences, and the tag is written as
// it is. Each sentence waits in a ring, with its tags and with what stands
// before it, until it and all before it have been translated.
//
// html_reader.cc has the functions of reading, html_sentences.cc those of
// sentences, html_text.cc those of writing and of HtmlText itself.
#ifndef LATIMER_MARKUP_HTML_STATE_H_
#define LATIMER_MARKUP_HTML_STATE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "markup/html_scanner.h"
#include "markup/html_text.h"
#include "markup/html_writer.h"
#include "markup/tag_placement.h"

namespace latimer {

struct __attribute__((visibility("hidden"))) HtmlText::State {
  // A sentence, or only what stands before one. Its bytes are in the ring.
  struct Entry {
    enum class Phase : uint8_t {
      kWaiting,  // For Next.
      kTaken,
      kAgain,  // Its translation found no room; it waits to be the oldest.
      kDone,
    };

    Phase phase = Phase::kDone;
    SentenceEnd end = SentenceEnd::kText;
    ReferenceStyle style;
    uint32_t place = 0;  // Where its bytes begin; those before it are free.
    // Its marks, and its bytes in this order.
    uint32_t mark_count = 0;
    Mark* marks = nullptr;
    std::string_view before;
    std::string_view text;
    size_t protected_bytes = 0;      // Of the text, at its beginning.
    std::span<TextRange> kept = {};  // Placeholders of the text.
    std::string_view raw;
    std::string_view space;
    std::span<char> room;  // For its translation.
    size_t written = 0;
  };

  // White space after a sentence that is kept beside it; more of it stands
  // before the next.
  static constexpr size_t kMostSpace = 64;
  // What stands before a sentence and is kept beside it; more is by itself.
  static constexpr size_t kMostBefore = 1024;
  // Elements inside each other, of one block.
  static constexpr size_t kMostOpen = 64;
  static constexpr size_t kMostMarks = TagPlacer::kMostMarks;
  static constexpr size_t kBeforeBytes = 4 * kWindowBytes;
  static constexpr size_t kLargest =
      kMostMarks * sizeof(Mark) + KeptPlaceholder::kMost * sizeof(TextRange) +
      kMostBefore + SentenceSplitter::kMostBytes + kWindowBytes + kMostSpace;
  static_assert(2 * kLargest <= kRingBytes && kBeforeBytes <= kRingBytes / 2);
  // Spaces between sentences, and the marks there.
  static_assert(SentenceSplitter::kMostBytes + kWindowBytes + kMostBefore <=
                kBeforeBytes);

  State(const SentenceRules& rules, Receiver to, void* with)
      : receiver(to), context(with), splitter(rules) {}

  // ---- Reading ----
  bool Step();
  bool Handle(const HtmlToken& token);
  bool HandleOpen(const HtmlToken& token);
  bool HandleClose(const HtmlToken& token);
  bool HandlePiece(const HtmlToken& token);
  bool HandleOpaque(const HtmlToken& token);
  void BeginOpaque(const HtmlToken& token, bool in_sentence);
  void EndOpaque();
  bool AddMark(Mark::Kind kind, std::string_view bytes);
  bool AddReference(uint32_t code_point, std::string_view bytes);
  bool EndBlock();
  void FinishBlock();
  bool HasBlock() const { return pushed > 0 || mark_count > 0 || carried > 0; }
  void Consume(size_t bytes) { window_begin += bytes; }

  // ---- Sentences ----
  bool HasRoom();
  bool Spill();
  char* Allocate(size_t bytes);
  Entry& Add(size_t bytes);
  bool Take(const SourceSentence& sentence, HtmlSentence* out);
  size_t CountMarks(size_t text, size_t whole, bool last) const;
  void WriteSpace(std::string_view text, std::string_view space, size_t marks);
  void DropMarks(size_t count, size_t text_bytes);
  bool Give(HtmlSentence* out);
  Entry& At(size_t index) { return entries[(first + index) % kMostSentences]; }

  // ---- Writing ----
  void WriteRaw(std::string_view bytes);
  void FlushBefore();
  void WriteSentence(const Entry& entry, std::string_view translation,
                     std::span<const TokenLink> links, HtmlWriter& writer);
  void Pop();
  void WriteDone();

  Receiver receiver;
  void* context;
  SentenceSplitter splitter;
  HtmlScanner scanner;
  TagPlacer placer;

  // The input that was not scanned; whether it has ended.
  size_t window_begin = 0;
  size_t window_end = 0;
  bool ended = false;
  // A token that was scanned but not handled.
  bool has_token = false;
  HtmlToken token;

  // The block at hand: bytes of its text that the splitter has and that no
  // sentence has taken; a character that it has no room for yet; whether it
  // ends here; its marks; names of its elements that are open.
  size_t pushed = 0;
  size_t carried = 0;
  char carry[4];
  bool closing = false;
  ReferenceStyle style;
  size_t mark_count = 0;
  size_t raw_size = 0;
  size_t open_count = 0;
  uint32_t open[kMostOpen];

  // What is copied as it is: the name of an element, and how many of this name
  // are open; 0: none. The mark that it is collected in is the last.
  uint32_t opaque = 0;
  size_t opaque_depth = 0;
  bool opaque_ends_with_block = false;
  bool collects = false;
  // It becomes a mark that is kept if it has text, as far as it was read.
  bool stands_for_word = false;
  bool opaque_has_text = false;
  size_t kept_number = 0;  // Of the next one of the block.
  // Bytes of raw, from `held` on, that come after the block.
  size_t held = 0;
  bool holds = false;

  size_t before_size = 0;
  size_t first = 0;  // Of entries.
  size_t count = 0;
  uint64_t first_number = 0;
  size_t ring_end = 0;  // Where the youngest entry ends.

  Mark marks[kMostMarks];
  Entry entries[kMostSentences];
  char window[kWindowBytes];
  char raw[kWindowBytes];
  char before[kBeforeBytes];
  alignas(Mark) char ring[kRingBytes];
};

}  // namespace latimer

#endif  // LATIMER_MARKUP_HTML_STATE_H_
