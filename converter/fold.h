// What a text's characters that the vocabulary lacks are read as.
#ifndef LATIMER_CONVERTER_FOLD_H_
#define LATIMER_CONVERTER_FOLD_H_

#include <cstddef>
#include <string>

#include "converter/tokenizer_data.h"

namespace latimer {

// A tokenizer with its folds: if it is one of SentencePiece's pieces without
// byte fallback, for each character that no piece covers what it may be read as
// (fold_table.h), if the vocabulary has that. Others have none. The model
// writer calls it, when the vocabulary is what it stays.
TokenizerData WithFolds(TokenizerData tokenizer);

// A line on the folds that a tokenizer gets; empty if it reads everything.
std::string FoldText(const TokenizerData& tokenizer);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_FOLD_H_
