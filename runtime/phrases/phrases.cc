#include "phrases/phrases.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace latimer {
namespace {

// The numbers before a phrase's tokens; kFlags has a bit for each of Flag.
enum Field { kBegin, kEnd, kTokens, kBytes, kStandIn, kFlags, kFields };
enum Flag { kUnknown = 1, kSpaceBefore = 2, kSpaceAfter = 4 };

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

bool PhraseList::Add(const Phrase& phrase) {
  const size_t size =
      kFields + phrase.tokens.size() + NumbersFor(phrase.text.size());
  if (count_ == kMostPhrases || size > numbers_.size() - size_) return false;
  int32_t* const fields = numbers_.data() + size_;
  if (!phrase.tokens.empty()) {  // They may be in this very memory.
    std::memmove(fields + kFields, phrase.tokens.data(),
                 phrase.tokens.size_bytes());
  }
  fields[kBegin] = static_cast<int32_t>(phrase.source_begin);
  fields[kEnd] = static_cast<int32_t>(phrase.source_end);
  fields[kTokens] = static_cast<int32_t>(phrase.tokens.size());
  fields[kBytes] = static_cast<int32_t>(phrase.text.size());
  fields[kStandIn] = phrase.stand_in;
  fields[kFlags] = (phrase.is_unknown ? kUnknown : 0) |
                   (phrase.space_before ? kSpaceBefore : 0) |
                   (phrase.space_after ? kSpaceAfter : 0);
  if (!phrase.text.empty()) {
    std::memcpy(fields + kFields + phrase.tokens.size(), phrase.text.data(),
                phrase.text.size());
  }
  size_ += size;
  terms_ |= uint64_t{phrase.is_term()} << count_++;
  keeps_text_ = keeps_text_ || !phrase.is_term();
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
          fields[kStandIn],
          (fields[kFlags] & kUnknown) != 0,
          (fields[kFlags] & kSpaceBefore) != 0,
          (fields[kFlags] & kSpaceAfter) != 0};
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

bool PhraseList::RequireMissing(const Prefix& translation,
                                const TokenizerView& tokenizer) {
  if (required_ == terms_) return false;
  PhraseProgress progress;
  for (size_t size = 2; size <= translation.size; ++size) {
    if (size < translation.size &&
        ContinuesWord(tokenizer, static_cast<size_t>(translation[size]))) {
      continue;
    }
    progress.Add(*this, {translation.start, translation.target, size});
  }
  const uint64_t missing = terms_ & ~progress.met_ & ~required_;
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
    if (!phrase.is_term()) continue;
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
