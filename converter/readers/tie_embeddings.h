// Which of a model's three matrices over the vocabulary are one.
#ifndef LATIMER_CONVERTER_READERS_TIE_EMBEDDINGS_H_
#define LATIMER_CONVERTER_READERS_TIE_EMBEDDINGS_H_

#include "converter/canonical_model.h"
#include "converter/source_tensor.h"

namespace latimer {

// Sets what the architecture says of tied and shared embeddings, and adds the
// matrices that are not the output's, each once. Equal ones count as one,
// whatever their names. Null, a tensor that was missing, is equal to none.
void TieEmbeddings(const SourceTensor* source, const SourceTensor* target,
                   const SourceTensor* output, CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_TIE_EMBEDDINGS_H_
