// Builds the tokenizer that the model file holds
// (runtime/text/tokenizer_view.h) from what a reader knows about each side.
#ifndef LATIMER_CONVERTER_TOKENIZER_BUILDER_H_
#define LATIMER_CONVERTER_TOKENIZER_BUILDER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "converter/readers/sentencepiece_model.h"
#include "converter/readers/vocabulary.h"
#include "converter/tokenizer_data.h"

namespace latimer {

// What a reader knows about the tokenizer of one side, source or target.
// Borrows the model and the vocabulary until BuildTokenizer returns. The two
// sides of a model are independent: one may have words and the other
// characters.
struct TokenizerSide {
  enum class Kind {
    kSentencePiece,  // Needs `model`.
    // Needs `vocabulary`. Source: looks up the words of Python's str.split().
    // Target: joins words with one space.
    kWords,
    // Needs `vocabulary`. Source: each code point is a token. Target: joins
    // characters without spaces.
    kCharacters,
    // Needs `vocabulary`. Source: the longest piece that the rest of the text
    // begins with is a token. Target: joins pieces without spaces.
    kLongestMatch,
  };

  Kind kind = Kind::kSentencePiece;
  const SentencePieceModel* model = nullptr;
  // The ids. Null with kSentencePiece: ids are the pieces' indices in the
  // model. With kSentencePiece and a vocabulary, as in native OPUS-MT, pieces
  // and runs of unknown characters are looked up by their text, and a leading
  // >>language<< code is one token.
  const Vocabulary* vocabulary = nullptr;
  // Rows of the model's embedding on this side; as many as there are ids.
  size_t rows = 0;
  // Allows more rows than ids. The additional ids of the source are never used;
  // those of the target are not text.
  bool more_rows = false;
  // Source, with a vocabulary: the token of unknown words, which must be in it.
  std::string unknown = "<unk>";
  // Source, without a model: leaves unknown words out instead.
  bool skips_unknown = false;
  // Target: tokens that are not text, such as <pad>, <sos> and <eos>. Ignores
  // those that the vocabulary lacks. A SentencePiece model's control pieces are
  // never text, and `unknown` always is.
  std::vector<std::string> special = {};
  // Source, without a model: applies Python's str.lower() to each
  // character by itself, so a final capital sigma becomes U+03C3, not U+03C2.
  bool lower_case = false;
  // Source, kCharacters and kLongestMatch: drops white space, which is
  // otherwise a character like any other.
  bool skips_spaces = false;
};

// The tokenizer of two independent sides. Throws ConversionError if a side
// lacks the model or the vocabulary that its kind needs, if its ids and the
// embedding's rows disagree, if the vocabulary lacks `unknown`, or if a
// normalization rule is damaged.
TokenizerData BuildTokenizer(const TokenizerSide& source,
                             const TokenizerSide& target);

// TokenizerData::target_text for a side that encodes such texts. Copies
// everything that the side borrows.
std::function<TokenizerData()> TargetTextOf(const TokenizerSide& side);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_TOKENIZER_BUILDER_H_
