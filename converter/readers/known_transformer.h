// The tensors of a Transformer whose sizes its configuration states: Hugging
// Face's families and native Marian.
#ifndef LATIMER_CONVERTER_READERS_KNOWN_TRANSFORMER_H_
#define LATIMER_CONVERTER_READERS_KNOWN_TRANSFORMER_H_

#include <cstdint>
#include <vector>

#include "converter/canonical_model.h"
#include "converter/readers/mapped_tensors.h"

namespace latimer {

struct TransformerLayout {
  // The numbers that {layer} stands for, one per layer; empty: from 0.
  std::vector<uint32_t> encoder_layers, decoder_layers;
  // Heads that have keys and values; heads next to each other share them, and
  // each gets a copy. 0: all have their own.
  uint32_t encoder_key_heads = 0, decoder_key_heads = 0;
  // The output's bias is [1, V], as transformers stores it, rather than [V].
  bool output_bias_is_matrix = false;
  // Stores equal source and target embeddings once even if the output has
  // another matrix.
  bool share_embeddings = true;
};

// Fills model->linears and model->norms with the tensors that
// model->architecture asks for. They are named by the parts of map_parts.h and
// by these, which maps do not have:
//   STACK.ffn.gate: with gated_ffn, stacked before STACK.ffn.in
//   STACK.SUBLAYER.output_norm: with NormPosition::kBoth
//   STACK.self_attention.qkv, STACK.cross_attention.kv: in place of their
//     parts, one matrix of all their rows
//   decoder.ssru.candidate, decoder.ssru.forget, decoder.ssru.norm: of an SSRU,
//     in place of self-attention
//   encoder.conv1, encoder.conv2: of a model that reads speech; see whisper.h
// A vocabulary of 0 becomes the number of rows of its embedding. Missing and
// misshapen tensors are noted, and tensors->Finish() throws.
void MapTransformer(const TransformerLayout& layout, MappedTensors* tensors,
                    CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_KNOWN_TRANSFORMER_H_
