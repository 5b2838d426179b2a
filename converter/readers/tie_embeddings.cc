#include "converter/readers/tie_embeddings.h"

namespace latimer {
namespace {

bool Same(const SourceTensor* one, const SourceTensor* other) {
  return one != nullptr && other != nullptr && one->SameAs(*other);
}

}  // namespace

void TieEmbeddings(const SourceTensor* source, const SourceTensor* target,
                   const SourceTensor* output, bool share,
                   CanonicalModel* model) {
  Architecture& a = model->architecture;
  a.embeddings_shared = share && Same(source, target);
  a.source_embedding_tied = Same(source, output);
  a.target_embedding_tied =
      a.embeddings_shared ? a.source_embedding_tied : Same(target, output);
  if (!a.source_embedding_tied) {
    model->linears["source_embedding"] = {{source}, {nullptr}};
  }
  if (!a.target_embedding_tied && !a.embeddings_shared) {
    model->linears["target_embedding"] = {{target}, {nullptr}};
  }
}

}  // namespace latimer
