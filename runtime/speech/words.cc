#include "speech/words.h"

#include <algorithm>

#include "text/utf8.h"

namespace latimer {
namespace {

constexpr std::string_view kWithoutSpaces[] = {"zh", "ja", "th",
                                               "lo", "my", "yue"};
// Marks that are words of their own at first.
constexpr std::string_view kAsciiMarks = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
// That belong to the next word, to the one before, and that end a sentence.
constexpr std::string_view kBefore = "\"'“¿([{-";
constexpr std::string_view kAfter = "\"'.。,，!！?？:：”)]}、";
constexpr std::string_view kEnds = ".。!！?？";

// In hundredths of a second.
constexpr double kPerPosition = 2;
constexpr double kMostUsual = 70;
constexpr double kFar = 50;

bool Contains(std::string_view marks, std::string_view text) {
  return marks.find(text) != marks.npos;
}

std::string_view WithoutSpaces(std::string_view text) {
  text.remove_prefix(LeadingSpaceBytes(text));
  text.remove_suffix(TrailingSpaceBytes(text));
  return text;
}

// Of two texts in a row.
std::string_view Joined(std::string_view a, std::string_view b) {
  return a.empty() ? b : std::string_view(a.data(), a.size() + b.size());
}

double Duration(const TranscriptionWord& word) { return word.end - word.start; }

// The duration that `rank` of those above 0 are below.
double DurationAt(Words words, size_t rank) {
  for (const TranscriptionWord& word : words) {
    size_t less = 0, equal = 0;
    for (const TranscriptionWord& other : words) {
      if (Duration(other) <= 0) continue;
      less += Duration(other) < Duration(word) ? 1 : 0;
      equal += Duration(other) == Duration(word) ? 1 : 0;
    }
    if (less <= rank && rank < less + equal) return Duration(word);
  }
  return 0;
}

}  // namespace

bool HasSpaces(std::string_view language) {
  return std::ranges::find(kWithoutSpaces, language) ==
         std::end(kWithoutSpaces);
}

Words SplitWords(const Tokenizer& tokenizer, const SegmentTokens& segment,
                 bool spaces, double offset, std::span<char> scratch,
                 Words room) {
  const std::span<const int32_t> tokens = segment.tokens;
  std::string_view text = segment.text;
  size_t count = 0, first = 0;  // Of the word at hand.
  size_t begin = 0;             // Of the tokens that are decoded.
  float sum = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const size_t end = i + 1;
    std::string_view part = text;
    if (end < tokens.size()) {
      const Result<size_t> bytes =
          tokenizer.Decode(tokens.subspan(begin, end - begin), scratch);
      part = {scratch.data(), bytes.ok() ? *bytes : 0};
      // A character that is not complete is decoded as U+FFFD.
      if (part.empty() || !text.starts_with(part)) continue;
      part = text.substr(0, part.size());
    }
    text.remove_prefix(part.size());
    if (count == 0 || !spaces || part.starts_with(' ') ||
        Contains(kAsciiMarks, WithoutSpaces(part))) {
      room[count++] = {
          .start = offset + kPerPosition * segment.aligned[begin].position,
          .text = part.substr(0, 0)};
      first = begin;
      sum = 0;
    }
    for (size_t j = begin; j < end; ++j) sum += segment.aligned[j].probability;
    TranscriptionWord& word = room[count - 1];
    word.text = Joined(word.text, part);
    word.end = offset + kPerPosition * segment.aligned[end].position;
    word.probability = sum / static_cast<float>(end - first);
    begin = end;
  }
  return room.first(count);
}

double UsualDuration(Words words) {
  const auto count = static_cast<size_t>(std::ranges::count_if(
      words, [](const auto& word) { return Duration(word) > 0; }));
  if (count == 0) return 0;
  const double median =
      (DurationAt(words, (count - 1) / 2) + DurationAt(words, count / 2)) / 2;
  return std::min(kMostUsual, median);
}

void BoundWords(double usual, Words words) {
  if (usual == 0) return;
  for (size_t i = 1; i < words.size(); ++i) {
    if (Duration(words[i]) <= 2 * usual) continue;
    if (Contains(kEnds, words[i].text)) {
      words[i].end = words[i].start + 2 * usual;
    } else if (Contains(kEnds, words[i - 1].text)) {
      words[i].start = words[i].end - 2 * usual;
    }
  }
}

Words JoinMarks(Words words) {
  for (size_t i = words.size(), next = i - 1; i-- > 0;) {
    TranscriptionWord& word = words[i];
    if (i < next && word.text.starts_with(' ') &&
        Contains(kBefore, WithoutSpaces(word.text))) {
      words[next].text = Joined(word.text, words[next].text);
      word.text = {};
    } else {
      next = i;
    }
  }
  for (size_t i = 1, last = 0; i < words.size(); ++i) {
    TranscriptionWord& word = words[i];
    if (!words[last].text.ends_with(' ') && Contains(kAfter, word.text)) {
      words[last].text = Joined(words[last].text, word.text);
      word.text = {};
    } else {
      last = i;
    }
  }
  const auto end =
      std::remove_if(words.begin(), words.end(),
                     [](const auto& word) { return word.text.empty(); });
  return words.first(static_cast<size_t>(end - words.begin()));
}

void FitWords(double usual, Words words, SegmentTimes* segment) {
  if (words.empty()) return;
  const double most = 2 * usual;
  TranscriptionWord& first = words.front();
  TranscriptionWord& last = words.back();
  // After a pause, neither the first word nor the second is long.
  const bool long_start =
      Duration(first) > most ||
      (words.size() > 1 && words[1].end - first.start > 2 * most);
  if (long_start && first.end - segment->last_speech > 4 * usual) {
    if (words.size() > 1 && Duration(words[1]) > most) {
      first.end = words[1].start =
          std::max(words[1].end / 2, words[1].end - most);
    }
    first.start = std::max(0.0, first.end - most);
  }
  if (segment->start < first.end && segment->start - kFar > first.start) {
    first.start = std::max(0.0, std::min(first.end - usual, segment->start));
  } else {
    segment->start = first.start;
  }
  if (segment->end > last.start && segment->end + kFar < last.end) {
    last.end = std::max(last.start + usual, segment->end);
  } else {
    segment->end = last.end;
  }
  segment->last_speech = segment->end;
}

}  // namespace latimer
