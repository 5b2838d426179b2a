// Learns a lexical shortlist from aligned text.
#ifndef LATIMER_CONVERTER_LEXICAL_SHORTLIST_H_
#define LATIMER_CONVERTER_LEXICAL_SHORTLIST_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converter/canonical_model.h"
#include "converter/readers/shortlist.h"

namespace latimer {

// A sentence and its translation, in tokens.
struct SentencePair {
  std::vector<int32_t> source;
  std::vector<int32_t> target;
  // Pairs of indices in both, {source, target}; not read without alignments.
  std::vector<std::pair<uint32_t, uint32_t>> links = {};
};

// For each source token, the target tokens that occur with it, ascending, and
// their probabilities.
using LexicalTable = std::vector<std::vector<std::pair<uint32_t, float>>>;

// IBM model 1 of target tokens given source tokens, with a NULL word, whose row
// is omitted: five iterations of expectation maximization from uniform
// probabilities (Brown et al., The Mathematics of Statistical Machine
// Translation, 1993).
LexicalTable LearnModel1(std::span<const SentencePair> pairs,
                         uint32_t source_vocabulary);

// The share of a source token's links that each target token has.
LexicalTable CountLinks(std::span<const SentencePair> pairs,
                        uint32_t source_vocabulary);

// Texts whose lines are translations of each other.
struct ParallelText {
  std::filesystem::path source;
  std::filesystem::path target;
  // Lines of links "0-0 1-2" between words, which are counted from 0 and
  // separated by spaces in both texts ("Pharaoh" format); empty: none.
  std::filesystem::path alignment;

  bool empty() const { return source.empty(); }
};

// Learns the shortlist of `model`. Each source token has as candidates its
// limits.best most probable target tokens above the threshold and, if both
// sides have the same ids, itself. The token that every source ends or begins
// with has the limits.first most frequent target tokens of the text. Warns of
// texts that are too short for other texts' tokens. Throws ConversionError if
// the model has no tokenizer, already has a shortlist, or has more than 65,536
// target tokens; if the texts have different numbers of lines or no pair
// without an empty line; or if a link is invalid.
CanonicalShortlist LearnShortlist(const CanonicalModel& model,
                                  const ParallelText& text,
                                  const ShortlistLimits& limits,
                                  std::vector<std::string>* warnings);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_LEXICAL_SHORTLIST_H_
