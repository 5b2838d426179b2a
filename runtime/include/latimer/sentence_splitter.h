// Cuts running text of any length into sentences, in constant memory.
//
//   latimer::SentenceSplitter splitter(translator.model_info().sentence_rules);
//   latimer::SourceSentence piece;
//   while (more input or not ended) {
//     size_t taken = splitter.Push(bytes);      // or splitter.End();
//     while (splitter.Next(&piece)) ...
//   }
//
// The pieces, each a sentence and the white space behind it, are the text, byte
// by byte, whatever the sizes of the chunks. Nothing allocates.
#ifndef LATIMER_SENTENCE_SPLITTER_H_
#define LATIMER_SENTENCE_SPLITTER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace latimer {

// What a model file knows about the sentences of its source. Empty: rules that
// hold for any language.
struct SentenceRules {
  // Codes of the languages, "en de"; views the image, as `words`.
  std::string_view languages;
  // Trie of words by WordInSentence; see text/sentence_end.h.
  std::span<const uint32_t> words;
  // Whether "1." may be an ordinal, as in German.
  bool ordinals = false;
};

// What ends a piece.
enum class SentenceEnd : uint8_t {
  kSentence,   // The next sentence begins, in the same paragraph.
  kLine,       // The next item of a list.
  kParagraph,  // A blank line, or another line of white space.
  kCut,        // The sentence goes on: it is longer than kMostBytes.
  kText,       // The end of the text.
};

struct SourceSentence {
  // Without white space at its ends; maybe on several lines. Empty: there is
  // only white space.
  std::string_view sentence;
  // White space behind it, up to the next piece.
  std::string_view space;
  SentenceEnd end = SentenceEnd::kText;
  uint64_t line = 1;  // That the piece begins on.
};

class SentenceSplitter {
 public:
  // Longest sentence in bytes.
  static constexpr size_t kMostBytes = 8192;

  // `rules` borrow from a model that outlives this.
  explicit SentenceSplitter(const SentenceRules& rules) : rules_(rules) {}
  // What it gave views it.
  SentenceSplitter(const SentenceSplitter&) = delete;
  SentenceSplitter& operator=(const SentenceSplitter&) = delete;

  // Takes bytes of the text, as many as there is room for; returns how many,
  // which is above 0 after Next has returned false. Any bytes: what is no UTF-8
  // is taken for letters.
  size_t Push(std::string_view bytes);

  // The text has ended. What is pushed afterwards begins a new one, once Next
  // has returned false.
  void End() { ended_ = true; }

  // The next piece, which lives until the next Push; false where more of the
  // text is needed, or the text has ended. A sentence is given as soon as what
  // is there shows where it ends. Time is linear in the text.
  bool Next(SourceSentence* piece);

  // The sentence of the last piece on one line: white space with a line break
  // becomes one space, and nothing between Chinese or Japanese characters.
  // Overwrites the piece.
  std::string_view JoinLines(const SourceSentence& piece);

 private:
  enum class Scan : uint8_t { kGoOn, kPiece, kNeedsMore };

  std::string_view Rest() const { return {buffer_ + begin_, end_ - begin_}; }
  Scan ScanSpace(std::string_view text, bool all, SourceSentence* piece);
  Scan ScanLetter(std::string_view text, bool all, SourceSentence* piece);
  bool Give(size_t sentence, size_t bytes, SentenceEnd end,
            SourceSentence* piece);

  SentenceRules rules_;
  bool ended_ = false;
  // What was scanned ends with a stop that needs no white space behind it, and
  // maybe with quotes.
  bool after_stop_ = false;
  bool after_quote_ = false;
  size_t begin_ = 0;    // Of what has not been given.
  size_t end_ = 0;      // Of what has been pushed.
  size_t scanned_ = 0;  // From begin_: no piece ends before it.
  uint64_t line_ = 1;
  char buffer_[kMostBytes];
};

// What to write behind the translation of a sentence in the place of the white
// space behind it, given as the piece has it. It is kept, but a line break
// within a paragraph becomes a space, and sentences without white space between
// get one where the translation's script has it. May view `space`.
std::string_view SpaceAfter(std::string_view translation,
                            std::string_view space, SentenceEnd end);

}  // namespace latimer

#endif  // LATIMER_SENTENCE_SPLITTER_H_
