// From what a reader knows of each side to the tokenizer that the model file
// holds (runtime/text/tokenizer_view.h).
#ifndef LATIMER_CONVERTER_TOKENIZER_BUILDER_H_
#define LATIMER_CONVERTER_TOKENIZER_BUILDER_H_

#include <functional>

#include "converter/tokenizer_data.h"
#include "converter/tokenizer_side.h"

namespace latimer {

// The tokenizer of two independent sides. Throws ConversionError, one sentence,
// when a side has no model or vocabulary that its kind needs, when its ids and
// the embedding's rows disagree, when the vocabulary lacks `unknown`, or when
// a normalization rule is damaged.
TokenizerData BuildTokenizer(const TokenizerSide& source,
                             const TokenizerSide& target);

// TokenizerData::target_text for a side that encodes such texts. Copies what
// the side borrows.
std::function<TokenizerData()> TargetTextOf(const TokenizerSide& side);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_TOKENIZER_BUILDER_H_
