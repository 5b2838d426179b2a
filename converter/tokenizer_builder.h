// Builds the tokenizer that the model file holds
// (runtime/text/tokenizer_view.h) from what a reader knows about each side.
#ifndef LATIMER_CONVERTER_TOKENIZER_BUILDER_H_
#define LATIMER_CONVERTER_TOKENIZER_BUILDER_H_

#include <functional>

#include "converter/tokenizer_data.h"
#include "converter/tokenizer_side.h"

namespace latimer {

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
