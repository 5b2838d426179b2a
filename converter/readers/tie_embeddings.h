// Which of a model's three matrices over the vocabulary are the same.
#ifndef LATIMER_CONVERTER_READERS_TIE_EMBEDDINGS_H_
#define LATIMER_CONVERTER_READERS_TIE_EMBEDDINGS_H_

#include "converter/canonical_model.h"
#include "converter/source_tensor.h"

namespace latimer {

// Sets the architecture's flags of tied and, if `share`, shared embeddings, and
// adds the embedding matrices that differ from the output's. Matrices with
// equal values count as the same whatever their names. Null, a missing tensor,
// equals nothing.
void TieEmbeddings(const SourceTensor* source, const SourceTensor* target,
                   const SourceTensor* output, bool share,
                   CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_TIE_EMBEDDINGS_H_
