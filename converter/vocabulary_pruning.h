// Removes tokens that a user never needs from a model: their rows of the
// embeddings and of the output, and their pieces.
#ifndef LATIMER_CONVERTER_VOCABULARY_PRUNING_H_
#define LATIMER_CONVERTER_VOCABULARY_PRUNING_H_

#include "converter/canonical_model.h"
#include "converter/token_choice.h"

namespace latimer {

// Removes all tokens except `kept`, which get new ids in the old order wherever
// the model has ids. A text whose tokens are all kept is tokenized as before,
// and translated as by the whole model if it were not allowed to produce the
// removed tokens. Precondition: `kept` comes from ChooseTokens.
void PruneVocabulary(const KeptTokens& kept, CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_VOCABULARY_PRUNING_H_
