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
};

// What greedy search obeys. Token ids are target ids unless said.
struct GenerationRules {
  int32_t decoder_start;
  int32_t eos;
  int32_t pad;
  // Forced as the last token where max_target_tokens is reached; -1: none.
  int32_t forced_eos;
  uint32_t max_target_tokens;
  uint32_t min_target_tokens;
  // Sequences that may not be produced, one after another; sequence i ends
  // before banned_ends[i]. Views into the image.
  std::span<const int32_t> banned_tokens;
  std::span<const uint32_t> banned_ends;
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

// Views live as long as the image.
struct ModelInfo {
  uint32_t format_version;
  uint64_t checksum;
  Architecture architecture;
  GenerationRules generation;
  ModelSizes sizes;
  KnownAnswer known_answer;
  bool has_tokenizer;
  // "f32" or "int8", and the packed layout: "8x8", "16x8", "4x8", ...
  const char* weights;
  const char* tile;
  std::string_view source;
  std::string_view license;
  std::string_view converter;
};

}  // namespace latimer

#endif  // LATIMER_MODEL_INFO_H_
