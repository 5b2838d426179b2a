// Phrases that a translation must contain: terms, and what comes out as it is.
//
// What comes out as it is, protected spans and what the model cannot read, does
// not touch the search: kept_text.h puts it into the translation.
//
// Terms come out by themselves or are dictated. A sentence is searched again
// with those that it lacks, and from then on they are required: a term begins
// at the step whose cross-attention points at its source, and its tokens follow
// in order. Before EOS, and when the tokens that are left are no more than they
// need, those that are missing come first. A term that the search produces by
// itself counts.
#ifndef LATIMER_SEARCH_PHRASES_H_
#define LATIMER_SEARCH_PHRASES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/model.h"
#include "search/prefix.h"

namespace latimer {

// Most phrases of a sentence.
inline constexpr size_t kMostPhrases = 64;

struct Phrase {
  // Of a term the tokens [begin, end) of the source, of others the bytes of the
  // text that was tokenized.
  uint32_t source_begin = 0;
  uint32_t source_end = 0;
  // Those of a term; else none.
  std::span<const int32_t> tokens = {};
  // What comes out as it is.
  std::string_view text = {};
  // Which of StandIns::ranges it is; -1: the model has read the text itself.
  int32_t stand_in = -1;
  bool is_unknown = false;  // The model cannot read it.
  // In the source.
  bool space_before = false;
  bool space_after = false;

  bool is_term() const { return !tokens.empty(); }
};

// Phrases one after another in the numbers of a sentence's memory, which they
// share with its source.
class PhraseList {
 public:
  PhraseList() = default;
  // Empty, with room for phrases that take `room` numbers.
  explicit PhraseList(std::span<int32_t> room) : numbers_(room) {}

  bool empty() const { return count_ == 0; }
  size_t count() const { return count_; }
  // Tokens of all phrases.
  size_t tokens() const;
  // Whether any of them is a term.
  bool has_terms() const { return terms_ != 0; }
  // Whether any of them is not.
  bool keeps_text() const { return keeps_text_; }
  // Adds a copy. False if there is no room.
  bool Add(const Phrase& phrase);

  // Where the tokens of the next phrase may be written before Add.
  std::span<int32_t> room() const;

  // Goes through the phrases: `*at` is 0 at first.
  bool Next(size_t* at, Phrase* out) const;

  // A bit for each term that the search must produce.
  uint64_t required() const { return required_; }
  // Requires those that a finished translation lacks, as whole words. False if
  // all others are there.
  bool RequireMissing(const Prefix& translation,
                      const TokenizerView& tokenizer);

  // The letter of the stand-ins; see StandIns.
  char stand_in_letter = '\0';

 private:
  std::span<int32_t> numbers_ = {};
  size_t count_ = 0;
  size_t size_ = 0;  // Numbers that are used.
  uint64_t terms_ = 0;
  bool keeps_text_ = false;
  uint64_t required_ = 0;
};

// Whether the last tokens are those of a phrase that is required.
bool EndsWithPhrase(const PhraseList& phrases, const Prefix& prefix);

// How far a translation, or a beam, has got with its phrases.
class PhraseProgress {
  uint64_t met_ = 0;  // A bit for each phrase.

 public:
  // Whether no required phrase is left, not even the rest of one.
  bool done(const PhraseList& phrases) const {
    return (phrases.required() & ~met_) == 0;
  }
  // The token that must come next; -1: the search may choose.
  int32_t forced(const PhraseList& phrases) const;

  // The source token that the last step attended to most.
  uint16_t focus = 0;

  // Unless a phrase has begun, begins the one that the focus belongs to, if it
  // is missing.
  void Attend(const PhraseList& phrases);
  // Begins the first that is missing. Precondition: forced() is -1, and not
  // done().
  void ForceMissing(const PhraseList& phrases);
  // Begins the first that is missing if those that are missing need all of the
  // `room` tokens that are left.
  void ForceIfOutOfRoom(const PhraseList& phrases, size_t room);
  // The translation has got one more token; `prefix` ends with it.
  void Add(const PhraseList& phrases, const Prefix& prefix);

 private:
  static constexpr uint16_t kNone = 0xFFFF;

  friend class PhraseList;

  bool met(size_t index) const { return (met_ >> index & 1) != 0; }
  bool missing(const PhraseList& phrases, size_t index) const {
    return ((phrases.required() & ~met_) >> index & 1) != 0;
  }

  uint16_t current_ = kNone;  // The phrase that has begun.
  uint16_t next_ = 0;         // Which of its tokens comes next.
};

}  // namespace latimer

#endif  // LATIMER_SEARCH_PHRASES_H_
