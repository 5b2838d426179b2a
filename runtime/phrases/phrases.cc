#include "phrases/phrases.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace latimer {
namespace {

// The numbers before a phrase's tokens: its place, the span of the source, the
// number of tokens, the bytes of the text, and whether a space comes before it.
enum Field { kPlace, kBegin, kEnd, kTokens, kBytes, kSpace, kFields };

size_t NumbersFor(size_t bytes) {
  return (bytes + sizeof(int32_t) - 1) / sizeof(int32_t);
}

size_t SizeOf(const int32_t* fields) {
  return kFields + static_cast<size_t>(fields[kTokens]) +
         NumbersFor(static_cast<size_t>(fields[kBytes]));
}

bool EndsWith(const Prefix& prefix, std::span<const int32_t> tokens) {
  // The start is not a token of the translation.
  if (tokens.size() >= prefix.size) return false;
  const size_t begin = prefix.size - tokens.size();
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (prefix[begin + i] != tokens[i]) return false;
  }
  return true;
}

}  // namespace

bool PhraseList::Add(const Phrase& phrase, bool required) {
  const size_t size =
      kFields + phrase.tokens.size() + NumbersFor(phrase.text.size());
  if (count_ == kMostPhrases || size > numbers_.size() - size_) return false;
  int32_t* const fields = numbers_.data() + size_;
  if (!phrase.tokens.empty()) {  // They may be in this very memory.
    std::memmove(fields + kFields, phrase.tokens.data(),
                 phrase.tokens.size_bytes());
  }
  fields[kPlace] = -1;
  fields[kBegin] = static_cast<int32_t>(phrase.source_begin);
  fields[kEnd] = static_cast<int32_t>(phrase.source_end);
  fields[kTokens] = static_cast<int32_t>(phrase.tokens.size());
  fields[kBytes] = static_cast<int32_t>(phrase.text.size());
  fields[kSpace] = phrase.space_before ? 1 : 0;
  if (!phrase.text.empty()) {
    std::memcpy(fields + kFields + phrase.tokens.size(), phrase.text.data(),
                phrase.text.size());
  }
  size_ += size;
  required_ |= uint64_t{required} << count_++;
  return true;
}

bool PhraseList::Next(size_t* at, Phrase* out) const {
  if (*at == size_) return false;
  const int32_t* const fields = numbers_.data() + *at;
  const auto tokens = static_cast<size_t>(fields[kTokens]);
  *out = {static_cast<uint32_t>(fields[kBegin]),
          static_cast<uint32_t>(fields[kEnd]),
          {fields + kFields, tokens},
          {reinterpret_cast<const char*>(fields + kFields + tokens),
           static_cast<size_t>(fields[kBytes])},
          fields[kSpace] != 0};
  *at += SizeOf(fields);
  return true;
}

std::span<int32_t> PhraseList::room() const {
  return numbers_.subspan(std::min(size_ + kFields, numbers_.size()));
}

size_t PhraseList::tokens() const {
  size_t tokens = 0;
  size_t at = 0;
  Phrase phrase;
  while (Next(&at, &phrase)) tokens += phrase.tokens.size();
  return tokens;
}

size_t PhraseList::Begin(size_t index) const {
  size_t begin = 0;
  for (; index > 0; --index) begin += SizeOf(numbers_.data() + begin);
  return begin;
}

void PhraseList::Place(std::span<const int32_t> target) {
  size_t at = 0;
  size_t most = 0;
  Phrase phrase;
  for (size_t begin = 0; Next(&at, &phrase); begin = at) {
    numbers_[begin + kPlace] = -1;
    most = std::max(most, phrase.tokens.size());
  }
  // Those of a shorter phrase may be the beginning of a longer one.
  for (size_t count = most; count > 0; --count) {
    at = 0;
    for (size_t begin = 0; Next(&at, &phrase); begin = at) {
      if (phrase.text.empty() || phrase.tokens.size() != count) continue;
      numbers_[begin + kPlace] = FindFree(phrase.tokens, target);
    }
  }
}

// The first place of `tokens` that no phrase has taken; -1: none.
int32_t PhraseList::FindFree(std::span<const int32_t> tokens,
                             std::span<const int32_t> target) const {
  for (size_t i = 0; i + tokens.size() <= target.size(); ++i) {
    bool found = std::equal(tokens.begin(), tokens.end(),
                            target.begin() + static_cast<ptrdiff_t>(i));
    for (size_t other = 0; found && other < size_;) {
      const int32_t* const fields = numbers_.data() + other;
      const auto first = static_cast<size_t>(fields[kPlace]);
      found = fields[kPlace] < 0 || first >= i + tokens.size() ||
              i >= first + static_cast<size_t>(fields[kTokens]);
      other += SizeOf(fields);
    }
    if (found) return static_cast<int32_t>(i);
  }
  return -1;
}

bool PhraseList::RequireMissing(const Prefix& translation,
                                const TokenizerView& tokenizer) {
  const uint64_t all = ~uint64_t{0} >> (64 - count_);
  if (required_ == all) return false;
  PhraseProgress progress;
  for (size_t size = 2; size <= translation.size; ++size) {
    if (size < translation.size &&
        ContinuesWord(tokenizer, static_cast<size_t>(translation[size]))) {
      continue;
    }
    progress.Add(*this, {translation.start, translation.target, size});
  }
  const uint64_t missing = all & ~progress.met_ & ~required_;
  required_ |= missing;
  return missing != 0;
}

bool EndsWithPhrase(const PhraseList& phrases, const Prefix& prefix) {
  size_t at = 0;
  Phrase phrase;
  for (size_t i = 0; phrases.Next(&at, &phrase); ++i) {
    if ((phrases.required() >> i & 1) != 0 && EndsWith(prefix, phrase.tokens)) {
      return true;
    }
  }
  return false;
}

int32_t PhraseProgress::forced(const PhraseList& phrases) const {
  if (current_ == kNone) return -1;
  size_t at = 0;
  Phrase phrase;
  for (size_t i = 0; phrases.Next(&at, &phrase); ++i) {
    if (i == current_) return phrase.tokens[next_];
  }
  return -1;
}

void PhraseProgress::Attend(const PhraseList& phrases) {
  if (current_ != kNone) return;
  size_t at = 0;
  Phrase phrase;
  for (uint16_t i = 0; phrases.Next(&at, &phrase); ++i) {
    if (!missing(phrases, i) || focus < phrase.source_begin ||
        focus >= phrase.source_end) {
      continue;
    }
    current_ = i;
    next_ = 0;
    return;
  }
}

void PhraseProgress::ForceMissing(const PhraseList& phrases) {
  current_ = 0;
  while (current_ + 1u < phrases.count() && !missing(phrases, current_)) {
    ++current_;
  }
  next_ = 0;
}

void PhraseProgress::ForceIfOutOfRoom(const PhraseList& phrases, size_t room) {
  size_t needed = 0;
  size_t at = 0;
  Phrase phrase;
  for (size_t i = 0; phrases.Next(&at, &phrase); ++i) {
    if (missing(phrases, i)) needed += phrase.tokens.size();
  }
  if (needed > 0 && needed >= room) ForceMissing(phrases);
}

void PhraseProgress::Add(const PhraseList& phrases, const Prefix& prefix) {
  size_t at = 0;
  Phrase phrase;
  for (uint16_t i = 0; phrases.Next(&at, &phrase); ++i) {
    if (current_ == kNone ? met(i) || !EndsWith(prefix, phrase.tokens)
                          : current_ != i) {
      continue;
    }
    if (current_ == i) {
      LATIMER_DCHECK(prefix[prefix.size - 1] == phrase.tokens[next_]);
      if (++next_ < phrase.tokens.size()) return;
    }
    met_ |= uint64_t{1} << i;
    current_ = kNone;
    return;
  }
}

}  // namespace latimer
