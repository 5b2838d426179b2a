#include "converter/canonical_model.h"

#include <cmath>

#include "base/check.h"

namespace latimer {
namespace {

bool Same(const SourceTensor* one, const SourceTensor* other) {
  return one != nullptr && other != nullptr && one->SameAs(*other);
}

}  // namespace

CanonicalLinear::Row CanonicalLinear::RowAt(uint64_t output) const {
  if (rows != nullptr) {
    LATIMER_CHECK(output < rows->size() && weights.size() == 1);
    return {weights[0], (*rows)[output]};
  }
  for (const SourceTensor* tensor : weights) {
    if (output < tensor->shape.at(0)) return {tensor, output};
    output -= tensor->shape.at(0);
  }
  LATIMER_CHECK(false);  // Not a row of it.
}

void SplitHeads(Architecture* architecture) {
  Architecture& a = *architecture;
  a.encoder_head_dim = a.d_model / a.encoder_heads;
  a.decoder_head_dim = a.d_model / a.decoder_heads;
  a.encoder_attention_scale =
      1.0f / std::sqrt(static_cast<float>(a.encoder_head_dim));
  a.decoder_attention_scale =
      1.0f / std::sqrt(static_cast<float>(a.decoder_head_dim));
}

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
