// Cuts running text of any length into sentences, in constant memory.
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
#ifndef LATIMER_SENTENCE_SPLITTER_H_
#define LATIMER_SENTENCE_SPLITTER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace latimer {

// What a model file knows about the sentences of its source language. If empty,
// only rules that hold for any language apply.
struct SentenceRules {
  // Codes of the languages, "en de". Views the image, like `words`.
  std::string_view languages;
  // Trie of words by WordInSentence; see text/sentence_end.h.
  std::span<const uint32_t> words;
  // Whether "1." may be an ordinal, as in German.
  bool ordinals = false;
};

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
  explicit SentenceSplitter(const SentenceRules& rules) : rules_(rules) {}
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
  enum class Scan : uint8_t { kGoOn, kSentence, kNeedsMore };

  std::string_view Rest() const { return {buffer_ + begin_, end_ - begin_}; }
  Scan ScanSpace(std::string_view text, bool all, SourceSentence* out);
  Scan ScanLetter(std::string_view text, bool all, SourceSentence* out);
  Scan Give(size_t sentence, size_t bytes, SentenceEnd end,
            SourceSentence* out);

  SentenceRules rules_;
  bool ended_ = false;
  // The scanned bytes end with a stop that needs no white space after it; and
  // with quotes after that.
  bool after_stop_ = false;
  bool after_quote_ = false;
  size_t begin_ = 0;    // Of the bytes not returned yet.
  size_t end_ = 0;      // Of the bytes pushed.
  size_t scanned_ = 0;  // Counted from begin_: no sentence ends before it.
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

}  // namespace latimer

#endif  // LATIMER_SENTENCE_SPLITTER_H_
