// Puts the tags of a sentence into its translation.
//
// The tags of a sentence are a tree: an element is a range of the source's
// bytes with others in it. Each element gets one run of the translation's
// words, within that of its parent and beside those of its siblings: the run
// with the most tokens that are aligned with the element's text, and the fewest
// that are not. What has no text, such as <img>, goes where most of what came
// before it is before it, and most of what came after it is after it. So tags
// nest as they did, and each occurs once, whatever the alignment.
#ifndef LATIMER_MARKUP_TAG_PLACEMENT_H_
#define LATIMER_MARKUP_TAG_PLACEMENT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/profile_config.h"
#include "latimer/translation.h"
#include "markup/html_writer.h"

namespace latimer {

// A tag of a sentence, or something else that stands in it.
struct Mark {
  enum class Kind : uint8_t {
    kOpen,    // <b>
    kClose,   // </b>
    kPoint,   // <img>, or a comment: it has no text.
    kObject,  // It reads like a word, and no text stands for it.
    kKept,    // <code>x</code>: a placeholder stands for it in the text.
  };

  uint32_t offset = 0;     // In the text.
  uint16_t raw_begin = 0;  // Its bytes, among those of all marks.
  uint16_t raw_bytes = 0;
  Kind kind = Kind::kPoint;
  // Whether white space, or a letter or digit, is beside it in the text.
  bool space_before = false;
  bool space_after = false;
  bool word_before = false;
  bool word_after = false;
};

// What stands in the text for a mark that is kept: one of the 32 characters
// from U+FDD0, which Unicode keeps for the internal use of programs.
struct KeptPlaceholder {
  static constexpr size_t kMost = 32;
  static constexpr size_t kBytes = 3;

  // Writes the one with a number.
  static void Write(size_t number, char* out) {
    out[0] = '\xEF';
    out[1] = '\xB7';
    out[2] = static_cast<char>(0x90 + number % kMost);
  }
  static bool IsAt(std::string_view text, size_t at) {
    return at + kBytes <= text.size() && text[at] == '\xEF' &&
           text[at + 1] == '\xB7' && text[at + 2] >= '\x90' &&
           text[at + 2] <= '\xAF';
  }
};

struct TaggedSentence {
  std::string_view text;
  // In the order of the source. Those that open and close nest; some may be
  // opened before the sentence, or closed after it.
  std::span<const Mark> marks;
  std::string_view raw;  // Bytes of all marks.
  ReferenceStyle style;
};

class TagPlacer {
 public:
  // Most marks of a sentence.
  static constexpr size_t kMostMarks = 256;

  // Writes the translation with the tags of the sentence. `links` are in the
  // order of the translation, and may be empty.
  void Place(const TaggedSentence& sentence, std::string_view translation,
             std::span<const TokenLink> links, HtmlWriter& writer);

 private:
  static constexpr uint16_t kNone = 0xFFFF;
  // A word of the translation, or a mark of punctuation.
  struct Word {
    TextRange text;
    TextRange same;  // Bytes of the source that it is a copy of; may be empty.
    // Further tokens that it has.
    uint16_t first_link;
    uint16_t end_link;
    uint16_t owner;  // The innermost element that has it.
  };
  // An element, or what has no text. Number 0 is the whole sentence.
  struct Node {
    uint16_t parent = kNone;
    uint16_t open = kNone;   // Marks; what has no text has only `open`.
    uint16_t close = kNone;  // None: it is closed after the sentence.
    TextRange source;
    bool point = false;       // Has no text, nor elements in it.
    bool kept = false;        // Its text is a placeholder.
    bool empty = false;       // Has no text.
    bool from_start = false;  // It was opened before the sentence.
    bool to_end = false;      // It is closed after the sentence.
    bool placed = false;
    // The words that it has.
    uint16_t begin = 0;
    uint16_t end = 0;
    // In the order of the translation.
    uint16_t first_child = kNone;
    uint16_t next = kNone;
  };
  struct Run {
    int32_t score = 0;
    size_t begin = 0;
    size_t end = 0;
  };
  // How many tokens of a word are aligned with a range of the source, with what
  // is before it, and with what is after it.
  struct Votes {
    int32_t in = 0;
    int32_t before = 0;
    int32_t after = 0;

    int32_t weight() const { return in - before - after; }
  };

  void FindWords();
  bool IsMarked(uint32_t offset) const;
  void AddWords(TextRange text, size_t link);
  void AddWord(TextRange text, TextRange same, size_t link);
  void BuildTree();
  uint16_t AddNode(uint16_t parent, uint32_t offset);
  void PlaceChildren(uint16_t parent);
  void Settle(uint16_t node, size_t begin, size_t end);
  bool IsBlank(uint32_t begin, uint32_t end) const;
  bool CoversParent(const Node& node) const;
  bool BestRun(const Node& node, size_t begin, size_t end, Run* out) const;
  size_t AfterTiedWord(const Node& node, const Run& run) const;
  size_t BestEdge(const Node& node, size_t begin, size_t end) const;
  size_t BestBoundary(const Node& node, size_t least, size_t end) const;
  Votes VotesOf(const Word& word, TextRange source) const;
  TextRange WordBefore(uint32_t offset) const;
  TextRange WordAfter(uint32_t offset) const;
  void WriteAll(HtmlWriter& writer);
  bool HasPlaceholder(size_t at) const;
  void WriteText(size_t begin, size_t end, HtmlWriter& writer);
  void WriteUntil(size_t word, HtmlWriter& writer);
  void WriteGap(HtmlWriter& writer);
  const Mark* FirstObject(const Node& element) const;
  void WriteSpaceBefore(const Mark& object, HtmlWriter& writer);
  void WritePoint(const Mark& mark, HtmlWriter& writer);
  void WriteTag(uint16_t mark, HtmlWriter& writer);
  std::string_view Gap() const;

  TaggedSentence sentence_;
  std::string_view translation_;
  std::span<const TokenLink> links_;
  size_t word_count_ = 0;
  size_t node_count_ = 0;
  // While it is written: the words before this one are, and perhaps the white
  // space before it.
  size_t at_ = 0;
  bool gap_written_ = false;
  bool owes_space_ = false;
  bool after_word_ = false;
  const Mark* object_ = nullptr;  // The last object, if no word follows it.
  Word words_[kProfile.target_tokens];
  Node nodes_[kMostMarks + 1];
};

}  // namespace latimer

#endif  // LATIMER_MARKUP_TAG_PLACEMENT_H_
