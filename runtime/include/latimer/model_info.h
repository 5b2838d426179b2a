// What a loaded model says about itself.
#ifndef LATIMER_MODEL_INFO_H_
#define LATIMER_MODEL_INFO_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/activation.h"

namespace latimer {

// kPost: LayerNorm(x + sublayer(x)), as in "Attention Is All You Need".
// kPre: x + sublayer(LayerNorm(x)).
enum class NormPosition : uint8_t { kPost, kPre };

// kLayerNorm: (x - mean) / sqrt(variance + epsilon) * gamma + beta, as PyTorch.
// kUnbiasedStd: (x - mean) / (standard deviation + epsilon) * gamma + beta, the
// deviation divided by D - 1, as "The Annotated Transformer" has it.
// kNone: there are no norms.
enum class NormKind : uint8_t { kLayerNorm, kUnbiasedStd, kNone };

// kSelfAttention: the Transformer's. kSsru: a Simpler Simple Recurrent Unit in
// its place (Kim et al., "From Research to Production and Back", 2019):
//   f = sigmoid(Wf x + bf), c = f * c_before + (1 - f) * (W x), relu(c).
enum class DecoderKind : uint8_t { kSelfAttention, kSsru };

// Sizes and switches that define the network. Shape letters as elsewhere:
// D = d_model, F = ffn, H = heads, V = vocabulary, L = layers.
struct Architecture {
  uint32_t d_model;
  uint32_t encoder_layers;
  uint32_t decoder_layers;
  uint32_t encoder_heads;
  uint32_t decoder_heads;
  uint32_t encoder_ffn;
  uint32_t decoder_ffn;
  uint32_t source_vocabulary;
  uint32_t target_vocabulary;
  // Rows of the position tables: longest source and target, in tokens.
  uint32_t source_positions;
  uint32_t target_positions;
  Activation activation;
  NormPosition norm_position;
  bool embedding_norm;
  bool final_norm;
  bool source_embedding_tied;
  bool target_embedding_tied;
  bool positions_shared;
  float embedding_scale;
  float norm_epsilon;
  // Columns of a head's query, key and value. Heads side by side, the attention
  // width, need not be D wide.
  uint32_t encoder_head_dim;
  uint32_t decoder_head_dim;
  // Attention scores are multiplied by it: usually 1 / sqrt(head_dim).
  float encoder_attention_scale;
  float decoder_attention_scale;
  NormKind norm_kind;
  DecoderKind decoder_kind;
  // Whether a sublayer's input is added to what it gives.
  bool residual;
  // false: there are no position tables; source_positions and
  // target_positions bound the length all the same.
  bool has_positions;

  constexpr uint32_t encoder_attention_width() const {
    return encoder_heads * encoder_head_dim;
  }
  constexpr uint32_t decoder_attention_width() const {
    return decoder_heads * decoder_head_dim;
  }
};

// What greedy search obeys. Token ids are target ids unless said.
struct GenerationRules {
  // -1: the first step's embedding is the zero vector, as in Marian.
  int32_t decoder_start;
  int32_t eos;
  int32_t pad;  // -1: none.
  // Forced as the last token where max_target_tokens is reached; -1: none.
  int32_t forced_eos;
  uint32_t max_target_tokens;
  uint32_t min_target_tokens;
  // Sequences that may not be produced, one after another; sequence i ends
  // before banned_ends[i]. Views into the image.
  std::span<const int32_t> banned_tokens;
  std::span<const uint32_t> banned_ends;
  // Source ids put before and after those of a text. Views into the image.
  std::span<const int32_t> source_prefix;
  std::span<const int32_t> source_suffix;
};

// Bytes of the image by what they are for. A tied embedding counts as output.
struct ModelSizes {
  uint64_t file;
  uint64_t embeddings;
  uint64_t positions;
  uint64_t encoder;
  uint64_t cross_kv;
  uint64_t decoder;
  uint64_t output;
  uint64_t tokenizer;
  // Weight bytes read for each generated token: decoder and output.
  uint64_t streamed_per_token;
};

// Source ids, EOS included, and the ids that this model gives for them where
// min_target_tokens and max_target_tokens are as many as there are of these.
// Both empty where the file has none.
struct KnownAnswer {
  std::span<const int32_t> source;
  std::span<const int32_t> target;
};

// What the tokenizer needs of a profile; the names are those of its members.
struct TokenizerNeeds {
  bool unigram;
  bool bpe;
  bool words;
  uint32_t bpe_unused_pieces;
};

// Views live as long as the image.
struct ModelInfo {
  uint32_t format_version;
  uint64_t checksum;
  Architecture architecture;
  GenerationRules generation;
  ModelSizes sizes;
  KnownAnswer known_answer;
  bool has_tokenizer;
  TokenizerNeeds tokenizer_needs;  // All false without a tokenizer.
  // "f32" or "int8", and the packed layout: "8x8", "16x8", "4x8", ...
  const char* weights;
  const char* tile;
  std::string_view source;
  std::string_view license;
  std::string_view converter;
};

}  // namespace latimer

#endif  // LATIMER_MODEL_INFO_H_
