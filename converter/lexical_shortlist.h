// Learns a lexical shortlist from aligned text.
#ifndef LATIMER_CONVERTER_LEXICAL_SHORTLIST_H_
#define LATIMER_CONVERTER_LEXICAL_SHORTLIST_H_

#include <cstdint>
#include <filesystem>
#include <span>
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

// For each source token the target tokens that occur with it and their
// probabilities, ascending by token.
using LexicalTable = std::vector<std::vector<std::pair<uint32_t, float>>>;

// IBM model 1 of target tokens given source tokens, with a NULL word, whose row
// is left out: five iterations of expectation maximization from an even start
// (Brown et al., The Mathematics of Statistical Machine Translation, 1993).
LexicalTable LearnModel1(std::span<const SentencePair> pairs,
                         uint32_t source_vocabulary);

// The part of a source token's links that each target token has.
LexicalTable CountLinks(std::span<const SentencePair> pairs,
                        uint32_t source_vocabulary);

// Texts whose lines are translations of each other.
struct ParallelText {
  std::filesystem::path source;
  std::filesystem::path target;
  // Lines of links "0-0 1-2" between words, counted from 0 and separated by
  // spaces in both texts ("Pharaoh" format); empty: there is none.
  std::filesystem::path alignment;

  bool empty() const { return source.empty(); }
};

// The shortlist of `model`: for each source token its limits.best most probable
// target tokens above the threshold, for the token that ends or begins every
// source the limits.first most frequent target tokens of the text, and where
// both sides have the same ids the source's own. Throws ConversionError if the
// model has no tokenizer, has a shortlist already, or has more than 65,536
// target tokens; if the texts have different numbers of lines or no pair of
// which both are there; or if a link is none or leads out of its line.
CanonicalShortlist LearnShortlist(const CanonicalModel& model,
                                  const ParallelText& text,
                                  const ShortlistLimits& limits);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_LEXICAL_SHORTLIST_H_
