// A lexical shortlist as it comes with models of Marian and Firefox.
// Sources: marian-dev's src/data/shortlist.h and shortlist.cpp, and those of
// browsermt's fork for the binary form.
#ifndef LATIMER_CONVERTER_READERS_SHORTLIST_H_
#define LATIMER_CONVERTER_READERS_SHORTLIST_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "converter/canonical_model.h"

namespace latimer {

struct ShortlistSides {
  // Ids of words (that of <unk> for unknown words), for the text format.
  std::function<uint32_t(const std::string&)> source_id;
  std::function<uint32_t(const std::string&)> target_id;
  uint32_t source_vocabulary = 0;
  uint32_t target_vocabulary = 0;
  bool same_vocabulary = false;
};

// What to keep of a shortlist in text format. The binary format has its own
// limits.
struct ShortlistLimits {
  uint32_t first = 100;  // Target ids that are always candidates.
  uint32_t best = 100;   // Candidates per source word.
  float threshold = 0;   // A candidate's probability must exceed it.
};

// Reads either format: binary (lex.s2t.bin), or text lines of a target word, a
// source word and a probability (lex.s2t); either may be gzip, as for Marian.
// Throws ConversionError if the file is damaged or disagrees with the
// vocabularies, or if the target has more than 65,536 words.
CanonicalShortlist ReadShortlist(const std::filesystem::path& path,
                                 const ShortlistLimits& limits,
                                 const ShortlistSides& sides);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_SHORTLIST_H_
