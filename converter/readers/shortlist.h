// A lexical shortlist as Marian and Firefox have it beside a model.
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
  // Ids of words, that of <unk> for unknown ones; for the form in text.
  std::function<uint32_t(const std::string&)> source_id;
  std::function<uint32_t(const std::string&)> target_id;
  uint32_t source_vocabulary = 0;
  uint32_t target_vocabulary = 0;
  bool same_vocabulary = false;
};

// What of a shortlist in text is kept; the binary form has it in itself.
struct ShortlistLimits {
  uint32_t first = 100;  // Target ids that are always candidates.
  uint32_t best = 100;   // Candidates of one source word.
  float threshold = 0;   // Their probability is larger.
};

// Reads either form: binary (lex.s2t.bin), or lines of a target word, a source
// word and a probability (lex.s2t). Throws ConversionError where the file is
// damaged, compressed, or disagrees with the vocabularies, or where the target
// has more than 65,536 words.
CanonicalShortlist ReadShortlist(const std::filesystem::path& path,
                                 const ShortlistLimits& limits,
                                 const ShortlistSides& sides);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_SHORTLIST_H_
