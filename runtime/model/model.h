// The model as translation sees it: typed views into the image.
//
// Nothing here is owned; every pointer lives as long as the image's bytes.
#ifndef LATIMER_MODEL_MODEL_H_
#define LATIMER_MODEL_MODEL_H_

#include <cstdint>

#include "latimer/model_info.h"
#include "latimer/profile_config.h"
#include "ops/xnnpack/packed_matrix.h"
#include "text/tokenizer_view.h"

namespace latimer {

// y = x W^T + b, W packed for the model's tile. [outputs, inputs].
struct Linear : PackedMatrix {
  const float* bias = nullptr;  // [outputs]; null: all zero.
};

// Shapes: A is the attention width, heads * head_dim, usually D.

// Layer normalization; gamma and beta are [D].
struct Norm {
  const float* gamma = nullptr;
  const float* beta = nullptr;
};

struct EncoderLayer {
  Linear self_qkv;  // [3A, D]: query, key, value one after another
  Linear self_out;  // [D, A]
  Norm self_norm;
  Linear ffn_in;   // [F, D]
  Linear ffn_out;  // [D, F]
  Norm ffn_norm;
};

struct DecoderLayer {
  // DecoderKind::kSelfAttention.
  Linear self_qkv;  // [3A, D]
  Linear self_out;  // [D, A]
  // DecoderKind::kSsru.
  Linear ssru_in;  // [2D, D]: candidate (W), gate (Wf, bf)
  // Of either.
  Norm self_norm;
  Linear cross_query;  // [A, D]
  Linear cross_out;    // [D, A]
  Norm cross_norm;
  Linear ffn_in;   // [F, D]
  Linear ffn_out;  // [D, F]
  Norm ffn_norm;
  Linear cross_kv;  // [2A, D]: key, value; read once per sentence
};

struct ModelTensors {
  Linear source_embedding;  // [Vs, D], by row; the output matrix when tied
  // [source_positions, D]; null without has_positions, as target_positions.
  const float* source_positions = nullptr;
  Norm source_embedding_norm;  // when embedding_norm
  EncoderLayer encoder[kProfile.encoder_layers];
  Norm encoder_norm;  // when final_norm

  Linear target_embedding;                  // [V, D], by row
  const float* target_positions = nullptr;  // [target_positions, D]
  Norm target_embedding_norm;
  DecoderLayer decoder[kProfile.decoder_layers];
  Norm decoder_norm;
  Linear output;  // [V, D], with final_logits_bias
};

struct Model {
  ModelInfo info;
  WeightType weight_type;
  Tile tile;
  ModelTensors tensors;
  TokenizerView tokenizer;  // empty unless info.has_tokenizer
};

}  // namespace latimer

#endif  // LATIMER_MODEL_MODEL_H_
