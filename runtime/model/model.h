// The model as translation sees it: typed views into the image.
//
// Nothing here is owned; every view lives as long as the image.
#ifndef LATIMER_MODEL_MODEL_H_
#define LATIMER_MODEL_MODEL_H_

#include <cstdint>
#include <span>

#include "latimer/profile_config.h"
#include "model/model_description.h"
#include "ops/xnnpack/packed_matrix.h"
#include "text/tokenizer_view.h"

namespace latimer {

// y = x W^T + b with W [outputs, inputs] packed for the model's tile. The
// output matrix may be in nibble planes instead; see ops/nibble/planes.h.
struct Linear : PackedMatrix {
  const float* bias = nullptr;  // [outputs]; null: all zero.
  bool nibbles = false;
};

// Shapes below: A is the attention width, heads * head_dim, usually D.

// Normalization; gamma and beta are [D], and kRms has no beta.
struct Norm {
  const float* gamma = nullptr;
  const float* beta = nullptr;
};

// The norms of a sublayer. A build without Profile::output_norms has no second
// one, only its name, for code that is left out.
template <bool kOutput>
struct SublayerNorms;
template <>
struct SublayerNorms<true> : Norm {
  Norm output;  // With NormPosition::kBoth.
};
template <>
struct SublayerNorms<false> : Norm {
  static Norm output;  // Not defined.
};
using SublayerNorm = SublayerNorms<kProfile.output_norms>;

struct EncoderLayer {
  Linear self_qkv;  // [3A, D]: query, key, value one after another
  Linear self_out;  // [D, A]
  SublayerNorm self_norm;
  Linear ffn_in;   // [F, D]; gated [2F, D]: gate, in
  Linear ffn_out;  // [D, F]
  SublayerNorm ffn_norm;
};

struct DecoderLayer {
  // NetworkKind::kTransformer.
  Linear self_qkv;  // [3A, D]
  Linear self_out;  // [D, A]
  // NetworkKind::kTransformerSsru.
  Linear ssru_in;  // [2D, D]: candidate (W), gate (Wf, bf)
  // Both kinds.
  SublayerNorm self_norm;
  Linear cross_query;  // [A, D]
  Linear cross_out;    // [D, A]
  SublayerNorm cross_norm;
  Linear ffn_in;   // as in EncoderLayer
  Linear ffn_out;  // [D, F]
  SublayerNorm ffn_norm;
  Linear cross_kv;  // [2A, D]: key, value; read once per sentence
};

// A layer of GRUs or LSTMs; H is the width of its hidden state, G the number of
// its gates: reset, update, new; or input, forget, cell, output.
struct RecurrentLayer {
  Linear input;      // [directions * G * H, inputs]
  Linear hidden[2];  // [G * H, H] per direction; the decoder has one
};

struct RecurrentTensors {
  RecurrentLayer encoder[kProfile.encoder_layers];
  // With a projected initial_state: [H, encoder_width], [H, memory_width] of
  // the mean; the cell's with has_cells.
  Linear initial_state;
  Linear initial_cell;
  Linear memory;  // [projected_memory, encoded_width], if projected_memory > 0
  Linear keys;    // [attention_hidden, memory_width], with keys_layer
  Linear query;   // [attention_hidden, H], with query_layer
  const float* energy = nullptr;  // [energy_width], with kAdditive
  Linear input;  // [input_layer, input_width], if input_layer > 0
  RecurrentLayer decoder[kProfile.decoder_layers];
  Linear combine;  // [combined, feature_width], if combined > 0
};

// The convolutions of an encoder that reads speech, with M mel bins; a row has
// the numbers of three frames, one after another. Profiles without it have the
// names, which nothing uses, and no memory for them.
template <bool kSpeech>
struct Convolutions {
  Linear conv1;  // [D, 3M]
  Linear conv2;  // [D, 3D]
};
template <>
struct Convolutions<false> {
  static Linear conv1;
  static Linear conv2;
};

struct ModelTensors : Convolutions<kProfile.speech()> {
  // By row: [Vs, D], or [Vs, source_embedding]; the output matrix if tied.
  Linear source_embedding;
  // [source_positions, D]; null without has_positions, like target_positions.
  const float* source_positions = nullptr;
  // With relative_attention: [encoder_bias_rows, 2 * source_positions - 1], in
  // each row the biases of keys at the distances 1 - source_positions and up
  // from the query.
  const float* encoder_relative_bias = nullptr;
  // With rotary_positions: [source_positions, encoder_head_dim], in each row
  // the cosines, then the sines.
  const float* source_rotations = nullptr;
  Norm source_embedding_norm;  // with embedding_norm
  EncoderLayer encoder[kProfile.encoder_layers];
  Norm encoder_norm;  // with final_norm

  // By row: [V, D], or [V, target_embedding].
  Linear target_embedding;
  const float* target_positions = nullptr;  // [target_positions, D]
  // [decoder_bias_rows, target_positions]: like the encoder's, up to the query
  // itself.
  const float* decoder_relative_bias = nullptr;
  const float* target_rotations = nullptr;  // Like the source's.
  Norm target_embedding_norm;
  DecoderLayer decoder[kProfile.decoder_layers];
  Norm decoder_norm;
  Linear output;  // [V, D], or [V, output_width], with final_logits_bias

  RecurrentTensors recurrent;  // with is_recurrent()
};

// Which target tokens may translate a source token; see schema/model.fbs. Views
// the image.
struct Shortlist {
  uint32_t first = 0;
  bool copies_source = false;
  std::span<const uint32_t> offsets;
  std::span<const uint16_t> tokens;
};

struct Model {
  ModelDescription info;
  WeightType weight_type;
  Tile tile;
  ModelTensors tensors;
  TokenizerView tokenizer;  // empty unless info.has_tokenizer
  // Encodes texts of the target; empty unless info.encodes_target.
  TokenizerView target_tokenizer;
  Shortlist shortlist;  // empty unless info.has_shortlist
};

}  // namespace latimer

#endif  // LATIMER_MODEL_MODEL_H_
