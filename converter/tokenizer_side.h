// What a reader says about the tokenizer of one side, source or target.
#ifndef LATIMER_CONVERTER_TOKENIZER_SIDE_H_
#define LATIMER_CONVERTER_TOKENIZER_SIDE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "converter/readers/sentencepiece_model.h"
#include "converter/readers/vocabulary.h"

namespace latimer {

// Borrows the model and the vocabulary until BuildTokenizer has returned. The
// two sides of a model are independent: words to characters is fine.
struct TokenizerSide {
  enum class Kind {
    kSentencePiece,  // Needs `model`.
    // Needs `vocabulary`. Source: what Python's str.split() gives, looked up
    // as it is. Target: joined with one space.
    kWords,
    // Needs `vocabulary`. Source: each code point is one token. Target: joined
    // with nothing between.
    kCharacters,
  };

  Kind kind = Kind::kSentencePiece;
  const SentencePieceModel* model = nullptr;
  // The ids. Null with kSentencePiece: the pieces' places in the model.
  // Otherwise pieces are looked up by their text, runs of unknown characters
  // too, and a leading >>language<< code is one token: native OPUS-MT.
  const Vocabulary* vocabulary = nullptr;
  // Rows of the model's embedding on this side. There must be as many ids.
  size_t rows = 0;
  // The embedding may have more rows than there are ids. Those of the source
  // are never used; those of the target are no text.
  bool more_rows = false;
  // Source, with a vocabulary: what is not in it. Must be in it.
  std::string unknown = "<unk>";
  // Target: tokens that are no text, such as <pad>, <sos> and <eos>; those
  // that the vocabulary lacks are ignored. A model's control pieces are none
  // in any case, and `unknown` is written as it stands.
  std::vector<std::string> special = {};
  // Source, kWords and kCharacters: Python's str.lower() of each character
  // alone, so that a final capital sigma becomes U+03C3, not U+03C2.
  bool lower_case = false;
  // Source, kCharacters: white space is no token; otherwise it is one like any
  // other character.
  bool skips_spaces = false;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_TOKENIZER_SIDE_H_
