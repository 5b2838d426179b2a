// The only list of the tensors of an architecture, in file order.
//
// The converter writes this list and the loader demands it, so they cannot
// disagree. Translation reads the tensors in this order: a decoder step walks
// through memory in one direction.
#ifndef LATIMER_MODEL_TENSOR_LIST_H_
#define LATIMER_MODEL_TENSOR_LIST_H_

#include "model/model.h"

namespace latimer {

// Layer number of tensors that belong to no layer.
inline constexpr int kNoLayer = -1;

// What a tensor is for: the groups of ModelSizes.
enum class TensorGroup : uint8_t {
  kEmbeddings,
  kPositions,
  kEncoder,
  kCrossKv,
  kDecoder,
  kOutput,
};

// Whether rows of a group's matrices are looked up.
constexpr bool IsLookedUp(TensorGroup group) {
  return group == TensorGroup::kEmbeddings || group == TensorGroup::kOutput;
}

// VisitTensors for a network of GRUs or LSTMs.
template <typename Visitor>
void VisitRecurrentTensors(const Architecture& a, ModelTensors& tensors,
                           Visitor& visitor) {
  using G = TensorGroup;
  const Recurrent& r = a.recurrent;
  RecurrentTensors& t = tensors.recurrent;
  const auto layer = [&](G group, const char* gru, const char* lstm, int number,
                         uint32_t outputs, uint32_t inputs, Linear& linear) {
    visitor.OnLinear(group, r.has_cells ? lstm : gru, number,
                     r.gates() * outputs, inputs, linear);
  };
  if (!a.source_embedding_tied) {
    visitor.OnLinear(G::kEmbeddings, "source_embedding", kNoLayer,
                     a.source_vocabulary, r.source_embedding,
                     tensors.source_embedding);
  }
  for (int i = 0; i < static_cast<int>(a.encoder_layers); ++i) {
    const uint32_t inputs = i == 0 ? r.source_embedding : r.encoder_width();
    layer(G::kEncoder, "encoder.%d.gru.input", "encoder.%d.lstm.input", i,
          r.encoder_width(), inputs, t.encoder[i].input);
    layer(G::kEncoder, "encoder.%d.gru.hidden", "encoder.%d.lstm.hidden", i,
          r.encoder_hidden, r.encoder_hidden, t.encoder[i].hidden[0]);
    if (!r.bidirectional) continue;
    layer(G::kEncoder, "encoder.%d.gru.backward_hidden",
          "encoder.%d.lstm.backward_hidden", i, r.encoder_hidden,
          r.encoder_hidden, t.encoder[i].hidden[1]);
  }
  if (IsProjected(r.initial_state)) {
    visitor.OnLinear(G::kEncoder, "initial_state", kNoLayer, r.decoder_hidden,
                     r.initial_width(), t.initial_state);
    if (r.has_cells) {
      visitor.OnLinear(G::kEncoder, "initial_cell", kNoLayer, r.decoder_hidden,
                       r.initial_width(), t.initial_cell);
    }
  }
  if (r.projected_memory > 0) {
    visitor.OnLinear(G::kEncoder, "encoder.projection", kNoLayer,
                     r.projected_memory, r.encoded_width(), t.memory);
  }
  if (r.keys_layer) {
    visitor.OnLinear(G::kCrossKv, "attention.keys", kNoLayer,
                     r.attention_hidden, r.memory_width(), t.keys);
  }
  if (!a.target_embedding_tied && !a.embeddings_shared) {
    visitor.OnLinear(G::kEmbeddings, "target_embedding", kNoLayer,
                     a.target_vocabulary, r.target_embedding,
                     tensors.target_embedding);
  }
  const auto attention = [&] {
    if (r.query_layer) {
      visitor.OnLinear(G::kDecoder, "attention.query", kNoLayer,
                       r.attention_hidden, r.decoder_hidden, t.query);
    }
    if (r.attention_function != AttentionFunction::kAdditive) return;
    visitor.OnTable(G::kDecoder, "attention.energy", 1, r.energy_width(),
                    t.energy);
  };
  if (r.query_before) attention();
  if (r.input_layer > 0) {
    visitor.OnLinear(G::kDecoder, "decoder.input", kNoLayer, r.input_layer,
                     r.input_width(), t.input);
  }
  for (int i = 0; i < static_cast<int>(a.decoder_layers); ++i) {
    const uint32_t inputs = i == 0 ? r.first_layer_width() : r.decoder_hidden;
    layer(G::kDecoder, "decoder.%d.gru.input", "decoder.%d.lstm.input", i,
          r.decoder_hidden, inputs, t.decoder[i].input);
    layer(G::kDecoder, "decoder.%d.gru.hidden", "decoder.%d.lstm.hidden", i,
          r.decoder_hidden, r.decoder_hidden, t.decoder[i].hidden[0]);
  }
  if (!r.query_before) attention();
  if (r.combined > 0) {
    visitor.OnLinear(G::kOutput, "combine", kNoLayer, r.combined,
                     r.feature_width(), t.combine);
  }
  visitor.OnLinear(G::kOutput, "output", kNoLayer, a.target_vocabulary,
                   r.output_width(), tensors.output);
}

// Calls, in file order, with a reference to the place of each tensor in `t`:
//   visitor.OnLinear(group, name, layer, outputs, inputs, Linear&)
//     a packed matrix
//   visitor.OnNorm(group, name, layer, width, has_beta, Norm&)
//     f32 vectors: name.gamma and, with has_beta, name.beta
//   visitor.OnTable(group, name, rows, columns, const float*&)
//     an f32 matrix in row-major order
// The full name is `name` with `%d` replaced by the layer. Tied or shared
// tensors are visited once. Precondition: the layers of `a` are within the
// profile.
template <typename Visitor>
void VisitTensors(const Architecture& a, ModelTensors& t, Visitor& visitor) {
  using G = TensorGroup;
  if (a.is_recurrent()) {
    if constexpr (kProfile.recurrent()) VisitRecurrentTensors(a, t, visitor);
    return;
  }
  const uint32_t d = a.d_model;
  const uint32_t ea = a.encoder_attention_width();
  const uint32_t da = a.decoder_attention_width();
  const uint32_t insides = a.gated_ffn ? 2 : 1;
  const auto norm = [&](TensorGroup group, const char* name, int layer,
                        Norm& n) {
    if (a.norm_kind == NormKind::kNone) return;
    visitor.OnNorm(group, name, layer, d, a.norm_kind != NormKind::kRms, n);
  };
  if constexpr (kProfile.speech()) {
    if (a.reads_speech()) {
      visitor.OnLinear(G::kEncoder, "encoder.conv1", kNoLayer, d,
                       3 * a.mel_bins, t.conv1);
      visitor.OnLinear(G::kEncoder, "encoder.conv2", kNoLayer, d, 3 * d,
                       t.conv2);
    }
  }
  const auto norms = [&](TensorGroup group, const char* name,
                         [[maybe_unused]] const char* output, int layer,
                         SublayerNorm& n) {
    norm(group, name, layer, n);
    if constexpr (kProfile.output_norms) {
      if (a.norm_position == NormPosition::kBoth) {
        norm(group, output, layer, n.output);
      }
    }
  };
  if (!a.source_embedding_tied) {
    visitor.OnLinear(G::kEmbeddings, "source_embedding", kNoLayer,
                     a.source_vocabulary, d, t.source_embedding);
  }
  if (a.has_positions) {
    visitor.OnTable(G::kPositions, "source_positions", a.source_positions, d,
                    t.source_positions);
  }
  if (a.relative_attention) {
    visitor.OnTable(G::kPositions, "encoder.relative_bias",
                    a.encoder_bias_rows(), 2 * a.source_positions - 1,
                    t.encoder_relative_bias);
  }
  if (a.rotary_positions) {
    visitor.OnTable(G::kPositions, "source_rotations", a.source_positions,
                    a.encoder_head_dim, t.source_rotations);
  }
  if (a.embedding_norm) {
    norm(G::kEncoder, "encoder.embedding_norm", kNoLayer,
         t.source_embedding_norm);
  }
  for (int i = 0; i < static_cast<int>(a.encoder_layers); ++i) {
    EncoderLayer& layer = t.encoder[i];
    visitor.OnLinear(G::kEncoder, "encoder.%d.self_attention.qkv", i, 3 * ea, d,
                     layer.self_qkv);
    visitor.OnLinear(G::kEncoder, "encoder.%d.self_attention.out", i, d, ea,
                     layer.self_out);
    norms(G::kEncoder, "encoder.%d.self_attention.norm",
          "encoder.%d.self_attention.output_norm", i, layer.self_norm);
    visitor.OnLinear(G::kEncoder, "encoder.%d.ffn.in", i,
                     insides * a.encoder_ffn, d, layer.ffn_in);
    visitor.OnLinear(G::kEncoder, "encoder.%d.ffn.out", i, d, a.encoder_ffn,
                     layer.ffn_out);
    norms(G::kEncoder, "encoder.%d.ffn.norm", "encoder.%d.ffn.output_norm", i,
          layer.ffn_norm);
  }
  if (a.final_norm) {
    norm(G::kEncoder, "encoder.norm", kNoLayer, t.encoder_norm);
  }
  for (int i = 0; i < static_cast<int>(a.decoder_layers); ++i) {
    visitor.OnLinear(G::kCrossKv, "decoder.%d.cross_attention.kv", i, 2 * da, d,
                     t.decoder[i].cross_kv);
  }
  if (!a.target_embedding_tied && !a.embeddings_shared) {
    visitor.OnLinear(G::kEmbeddings, "target_embedding", kNoLayer,
                     a.target_vocabulary, d, t.target_embedding);
  }
  if (a.has_positions && !a.positions_shared) {
    visitor.OnTable(G::kPositions, "target_positions", a.target_positions, d,
                    t.target_positions);
  }
  if (a.relative_attention) {
    visitor.OnTable(G::kPositions, "decoder.relative_bias",
                    a.decoder_bias_rows(), a.target_positions,
                    t.decoder_relative_bias);
  }
  if (a.rotary_positions && !a.positions_shared) {
    visitor.OnTable(G::kPositions, "target_rotations", a.target_positions,
                    a.decoder_head_dim, t.target_rotations);
  }
  if (a.embedding_norm) {
    norm(G::kDecoder, "decoder.embedding_norm", kNoLayer,
         t.target_embedding_norm);
  }
  for (int i = 0; i < static_cast<int>(a.decoder_layers); ++i) {
    DecoderLayer& layer = t.decoder[i];
    if (a.network_kind == NetworkKind::kTransformer) {
      visitor.OnLinear(G::kDecoder, "decoder.%d.self_attention.qkv", i, 3 * da,
                       d, layer.self_qkv);
      visitor.OnLinear(G::kDecoder, "decoder.%d.self_attention.out", i, d, da,
                       layer.self_out);
      norms(G::kDecoder, "decoder.%d.self_attention.norm",
            "decoder.%d.self_attention.output_norm", i, layer.self_norm);
    } else {
      visitor.OnLinear(G::kDecoder, "decoder.%d.ssru.in", i, 2 * d, d,
                       layer.ssru_in);
      norms(G::kDecoder, "decoder.%d.ssru.norm", "decoder.%d.ssru.output_norm",
            i, layer.self_norm);
    }
    visitor.OnLinear(G::kDecoder, "decoder.%d.cross_attention.query", i, da, d,
                     layer.cross_query);
    visitor.OnLinear(G::kDecoder, "decoder.%d.cross_attention.out", i, d, da,
                     layer.cross_out);
    norms(G::kDecoder, "decoder.%d.cross_attention.norm",
          "decoder.%d.cross_attention.output_norm", i, layer.cross_norm);
    visitor.OnLinear(G::kDecoder, "decoder.%d.ffn.in", i,
                     insides * a.decoder_ffn, d, layer.ffn_in);
    visitor.OnLinear(G::kDecoder, "decoder.%d.ffn.out", i, d, a.decoder_ffn,
                     layer.ffn_out);
    norms(G::kDecoder, "decoder.%d.ffn.norm", "decoder.%d.ffn.output_norm", i,
          layer.ffn_norm);
  }
  if (a.final_norm) {
    norm(G::kDecoder, "decoder.norm", kNoLayer, t.decoder_norm);
  }
  visitor.OnLinear(G::kOutput, "output", kNoLayer, a.target_vocabulary, d,
                   t.output);
}

}  // namespace latimer

#endif  // LATIMER_MODEL_TENSOR_LIST_H_
