// Leaves tokens out of a model that a user never needs: their rows of the
// embeddings and of the output, and their pieces.
#ifndef LATIMER_CONVERTER_VOCABULARY_PRUNING_H_
#define LATIMER_CONVERTER_VOCABULARY_PRUNING_H_

#include "converter/canonical_model.h"
#include "converter/token_choice.h"

namespace latimer {

// Leaves all other tokens out and gives those that stay new ids, in the old
// order, wherever the model has ids. A text all of whose tokens stay is cut in
// the same tokens as before; the translation is that of the whole model which
// may not produce the others. Precondition: ChooseTokens chose them.
void PruneVocabulary(const KeptTokens& kept, CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_VOCABULARY_PRUNING_H_
