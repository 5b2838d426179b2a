#include "speech/timestamps.h"

#include <algorithm>

#include "search/logits_processors.h"

namespace latimer {
namespace {

// A window begins in its first second.
constexpr size_t kLastFirstTime = 50;

}  // namespace

void BanByTimestamps(const SpeechTokens& speech, int32_t eos,
                     std::span<const int32_t> tokens, std::span<float> logits) {
  const auto first = static_cast<size_t>(speech.first_timestamp);
  const auto ban = [&](size_t begin, size_t end) {
    end = std::min(end, logits.size());
    for (size_t i = begin; i < end; ++i) logits[i] = kBannedLogit;
  };
  const auto is_time = [&](size_t from_end) {
    return tokens[tokens.size() - from_end] >= speech.first_timestamp;
  };
  ban(static_cast<size_t>(speech.no_timestamps),
      static_cast<size_t>(speech.no_timestamps) + 1);
  if (tokens.empty()) {
    ban(0, first);
    ban(first + kLastFirstTime + 1, logits.size());
    return;
  }
  const bool after_time = is_time(1);
  const bool after_pair = after_time && (tokens.size() < 2 || is_time(2));
  if (after_pair) {
    ban(first, logits.size());
  } else if (after_time) {
    ban(0, static_cast<size_t>(eos));
  }
  for (size_t i = tokens.size(); i-- > 0;) {
    if (tokens[i] < speech.first_timestamp) continue;
    // A segment takes some time.
    const bool ends = after_time && !after_pair;
    ban(first, static_cast<size_t>(tokens[i]) + (ends ? 0 : 1));
    break;
  }
}

SegmentReader::SegmentReader(int32_t first_timestamp,
                             std::span<const int32_t> tokens)
    : first_(first_timestamp), tokens_(tokens) {
  for (size_t i = 1; i < tokens.size(); ++i) {
    in_pairs_ = in_pairs_ || (IsTime(i - 1) && IsTime(i));
  }
}

size_t SegmentReader::FindEnd(size_t begin) const {
  for (size_t i = begin + 1; i < tokens_.size(); ++i) {
    if (IsTime(i - 1) && IsTime(i)) return i;
  }
  // A single timestamp at the end closes the last segment.
  const size_t size = tokens_.size();
  return size >= 2 && IsTime(size - 1) && !IsTime(size - 2) ? size : 0;
}

std::optional<TokenSegment> SegmentReader::Next() {
  if (next_ >= tokens_.size()) return std::nullopt;
  const size_t begin = next_;
  TokenSegment out;
  if (in_pairs_) {
    const size_t end = FindEnd(begin);
    if (end == 0) return std::nullopt;
    next_ = end;
    out.start_time = TimeAt(begin);
    out.end_time = TimeAt(end - 1);
  } else {
    next_ = tokens_.size();
    for (size_t i = begin; i < next_; ++i) {
      if (IsTime(i) && TimeAt(i) > 0) out.end_time = TimeAt(i);
    }
  }
  out.tokens = tokens_.subspan(begin, next_ - begin);
  size_t first = begin, last = next_;
  while (first < last && IsTime(first)) ++first;
  while (first < last && IsTime(last - 1)) --last;
  out.text = tokens_.subspan(first, last - first);
  return out;
}

std::optional<uint32_t> SegmentReader::used_time() const {
  if (!in_pairs_ || next_ >= tokens_.size()) return std::nullopt;
  return TimeAt(next_ - 1);
}

}  // namespace latimer
