#include "converter/text_metrics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <span>

#include "text/utf8.h"

namespace latimer {
namespace {

std::u32string Decode(std::string_view text) {
  constexpr char32_t kReplacement = 0xFFFD;
  std::u32string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Char c = FirstChar(text);
    out.push_back(c.bytes > 0 ? static_cast<char32_t>(c.code_point)
                              : kReplacement);
    text.remove_prefix(std::max<size_t>(c.bytes, 1));
  }
  return out;
}

bool IsSpace(char32_t c) { return IsPythonSpace(static_cast<uint32_t>(c)); }
bool IsDigit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool IsPeriodOrComma(char32_t c) { return c == U'.' || c == U','; }

// Python's str.replace(): from left to right, without searching the
// replacement.
void Replace(std::u32string* text, std::u32string_view from,
             std::u32string_view to) {
  size_t at = 0;
  while ((at = text->find(from, at)) != std::u32string::npos) {
    text->replace(at, from.size(), to);
    at += to.size();
  }
}

// [\{-\~\[-\` -\&\(-\+\:-\@\/]
bool IsSeparated(char32_t c) {
  return (c >= U'{' && c <= U'~') || (c >= U'[' && c <= U'`') ||
         (c >= U' ' && c <= U'&') || (c >= U'(' && c <= U'+') ||
         (c >= U':' && c <= U'@') || c == U'/';
}

std::u32string Separate(const std::u32string& text) {
  std::u32string out;
  for (const char32_t c : text) {
    if (IsSeparated(c)) {
      out.append({U' ', c, U' '});
    } else {
      out.push_back(c);
    }
  }
  return out;
}

// re.sub() of two characters that `matches`: a space goes before, between and
// after them where `format`, such as "1 2 ", has one.
template <typename Matches>
std::u32string SeparatePairs(const std::u32string& text, const char* format,
                             const Matches& matches) {
  std::u32string out;
  size_t i = 0;
  while (i + 1 < text.size()) {
    if (!matches(text[i], text[i + 1])) {
      out.push_back(text[i++]);
      continue;
    }
    for (const char* f = format; *f != '\0'; ++f) {
      out.push_back(*f == '1' ? text[i] : *f == '2' ? text[i + 1] : U' ');
    }
    i += 2;
  }
  if (i < text.size()) out.push_back(text[i]);
  return out;
}

// Counts each n-gram of 1 to kOrders elements. N-grams are views into
// `elements`, which must outlive the result.
template <typename Element, size_t kOrders>
using Ngrams = std::array<std::vector<std::span<const Element>>, kOrders>;

template <typename Element>
bool Before(std::span<const Element> a, std::span<const Element> b) {
  return std::ranges::lexicographical_compare(a, b);
}

template <size_t kOrders, typename Element>
Ngrams<Element, kOrders> SortedNgrams(std::span<const Element> elements) {
  Ngrams<Element, kOrders> ngrams;
  for (size_t n = 1; n <= kOrders; ++n) {
    auto& runs = ngrams[n - 1];
    for (size_t i = 0; i + n <= elements.size(); ++i) {
      runs.push_back(elements.subspan(i, n));
    }
    std::ranges::sort(runs, Before<Element>);
  }
  return ngrams;
}

// The number of n-grams that both sorted lists contain; each counts as often as
// it occurs in the list that has it less often.
template <typename Element>
uint64_t CountCommon(const std::vector<std::span<const Element>>& a,
                     const std::vector<std::span<const Element>>& b) {
  std::vector<std::span<const Element>> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common),
                                Before<Element>);
  return common.size();
}

// Words as numbers, the same in both segments.
std::vector<uint32_t> Numbered(std::span<const std::u32string> words,
                               std::map<std::u32string, uint32_t>* numbers) {
  std::vector<uint32_t> out;
  out.reserve(words.size());
  for (const std::u32string& word : words) {
    const auto next = static_cast<uint32_t>(numbers->size());
    out.push_back(numbers->emplace(word, next).first->second);
  }
  return out;
}

std::u32string WithoutSpaces(std::string_view text) {
  std::u32string out = Decode(text);
  std::erase_if(out, IsSpace);
  return out;
}

template <typename Array>
void AddTo(Array* sums, const Array& other) {
  for (size_t i = 0; i < sums->size(); ++i) (*sums)[i] += other[i];
}

}  // namespace

std::vector<std::u32string> Tokenize13a(std::string_view segment) {
  std::u32string text = Decode(segment);
  while (!text.empty() && IsSpace(text.back())) text.pop_back();
  Replace(&text, U"<skipped>", U"");
  Replace(&text, U"-\n", U"");
  Replace(&text, U"\n", U" ");
  Replace(&text, U"&quot;", U"\"");
  Replace(&text, U"&amp;", U"&");
  Replace(&text, U"&lt;", U"<");
  Replace(&text, U"&gt;", U">");
  text = Separate(U" " + text + U" ");
  text = SeparatePairs(text, "1 2 ", [](char32_t a, char32_t b) {
    return !IsDigit(a) && IsPeriodOrComma(b);
  });
  text = SeparatePairs(text, " 1 2", [](char32_t a, char32_t b) {
    return IsPeriodOrComma(a) && !IsDigit(b);
  });
  text = SeparatePairs(text, "1 2 ", [](char32_t a, char32_t b) {
    return IsDigit(a) && b == U'-';
  });
  std::vector<std::u32string> words;
  bool inside = false;
  for (const char32_t c : text) {
    if (IsSpace(c)) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    words.back().push_back(c);
  }
  return words;
}

BleuCounts& BleuCounts::operator+=(const BleuCounts& other) {
  words += other.words;
  reference_words += other.reference_words;
  AddTo(&correct, other.correct);
  AddTo(&total, other.total);
  return *this;
}

BleuCounts CountBleu(std::string_view translation, std::string_view reference) {
  std::map<std::u32string, uint32_t> numbers;
  const std::vector<uint32_t> words =
      Numbered(Tokenize13a(translation), &numbers);
  const std::vector<uint32_t> expected =
      Numbered(Tokenize13a(reference), &numbers);
  const auto ours =
      SortedNgrams<BleuCounts::kOrders>(std::span<const uint32_t>(words));
  const auto theirs =
      SortedNgrams<BleuCounts::kOrders>(std::span<const uint32_t>(expected));
  BleuCounts counts;
  counts.words = words.size();
  counts.reference_words = expected.size();
  for (size_t n = 0; n < ours.size(); ++n) {
    counts.total[n] = ours[n].size();
    counts.correct[n] = CountCommon(ours[n], theirs[n]);
  }
  return counts;
}

double Bleu(const BleuCounts& counts) {
  if (std::ranges::all_of(counts.correct, [](uint64_t n) { return n == 0; })) {
    return 0.0;
  }
  const auto words = static_cast<double>(counts.words);
  const auto reference_words = static_cast<double>(counts.reference_words);
  const double brevity =
      words < reference_words ? std::exp(1 - reference_words / words) : 1.0;
  double smoothing = 1.0;
  double logs = 0.0;
  for (size_t n = 0; n < counts.total.size(); ++n) {
    const auto total = static_cast<double>(counts.total[n]);
    double precision = 0.0;
    if (counts.total[n] > 0 && counts.correct[n] > 0) {
      precision = 100.0 * static_cast<double>(counts.correct[n]) / total;
    } else if (counts.total[n] > 0) {
      smoothing *= 2;
      precision = 100.0 / (smoothing * total);
    }
    constexpr double kLogOfZero = -9999999999.0;  // sacrebleu's.
    logs += precision == 0.0 ? kLogOfZero : std::log(precision);
  }
  return brevity * std::exp(logs / BleuCounts::kOrders);
}

ChrfCounts& ChrfCounts::operator+=(const ChrfCounts& other) {
  AddTo(&translation, other.translation);
  AddTo(&reference, other.reference);
  AddTo(&match, other.match);
  return *this;
}

ChrfCounts CountChrf(std::string_view translation, std::string_view reference) {
  const std::u32string ours = WithoutSpaces(translation);
  const std::u32string theirs = WithoutSpaces(reference);
  const auto our_ngrams =
      SortedNgrams<ChrfCounts::kOrders>(std::span<const char32_t>(ours));
  const auto their_ngrams =
      SortedNgrams<ChrfCounts::kOrders>(std::span<const char32_t>(theirs));
  ChrfCounts counts;
  for (size_t n = 0; n < our_ngrams.size(); ++n) {
    counts.reference[n] = their_ngrams[n].size();
    // As in sacrebleu, skips orders that are longer than the reference.
    if (!their_ngrams[n].empty()) {
      counts.translation[n] = our_ngrams[n].size();
    }
    counts.match[n] = CountCommon(our_ngrams[n], their_ngrams[n]);
  }
  return counts;
}

double Chrf(const ChrfCounts& counts) {
  constexpr double kBetaSquared = 4.0;
  double precision = 0.0, recall = 0.0;
  int orders = 0;
  for (size_t n = 0; n < counts.match.size(); ++n) {
    if (counts.translation[n] == 0 || counts.reference[n] == 0) continue;
    const auto match = static_cast<double>(counts.match[n]);
    precision += match / static_cast<double>(counts.translation[n]);
    recall += match / static_cast<double>(counts.reference[n]);
    ++orders;
  }
  if (orders == 0) return 0.0;
  precision /= orders;
  recall /= orders;
  if (precision + recall == 0.0) return 0.0;
  const double score = (1 + kBetaSquared) * precision * recall /
                       (kBetaSquared * precision + recall);
  return 100.0 * score;
}

}  // namespace latimer
