// What a loaded model says about itself.
#ifndef LATIMER_MODEL_INFO_H_
#define LATIMER_MODEL_INFO_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/activation.h"
#include "latimer/certificate.h"
#include "latimer/sentence_splitter.h"

namespace latimer {

// kPost: LayerNorm(x + sublayer(x)), as in "Attention Is All You Need".
// kPre: x + sublayer(LayerNorm(x)).
enum class NormPosition : uint8_t { kPost, kPre };

// kLayerNorm: (x - mean) / sqrt(variance + epsilon) * gamma + beta, as PyTorch.
// kUnbiasedStd: (x - mean) / (standard deviation + epsilon) * gamma + beta, the
// deviation divided by D - 1, as "The Annotated Transformer" has it.
// kNone: there are no norms.
// kRms: x / sqrt(mean of x^2 + epsilon) * gamma, without a beta ("Root Mean
// Square Layer Normalization", Zhang and Sennrich, 2019), as T5.
enum class NormKind : uint8_t { kLayerNorm, kUnbiasedStd, kNone, kRms };

// kSelfAttention: the Transformer's. kSsru: a Simpler Simple Recurrent Unit in
// its place (Kim et al., "From Research to Production and Back", 2019):
//   f = sigmoid(Wf x + bf), c = f * c_before + (1 - f) * (W x), relu(c).
// kGru: no Transformer at all, encoder and decoder are GRUs; see Recurrent.
enum class NetworkKind : uint8_t { kTransformer, kTransformerSsru, kGru };

// Score of a source position with memory m for the query q.
// kAdditive: v . tanh(Wq q + Wm m + b) (Bahdanau et al., 2015).
// kDot: q . m; kGeneral: q . (Wm m + b) (Luong et al., 2015).
enum class AttentionFunction : uint8_t { kAdditive, kDot, kGeneral };

// What a GRU decoder starts from.
// kZero: zeros.
// kProjected: tanh(W h + b) of the encoder's last states, that of the forward
// direction before that of the backward one. There is one decoder layer.
// kEncoderStates: the encoder's last states as they are.
enum class InitialState : uint8_t { kZero, kProjected, kEncoderStates };

// Encoder and decoder of GRUs with attention, NetworkKind::kGru; of the rest of
// Architecture such a model has layers, vocabularies, positions (as limits) and
// tied embeddings. Its memory is what the encoder's top layer gives.
struct Recurrent {
  // Columns of the embeddings and of the states.
  uint32_t source_embedding;
  uint32_t target_embedding;
  uint32_t encoder_hidden;
  uint32_t decoder_hidden;
  // Columns of the keys, which scores are made of: decoder_hidden but for
  // kAdditive.
  uint32_t attention_hidden;
  // Outputs of the layer with tanh between attention and output; 0: none.
  uint32_t combined;
  // Encoder layers read the source both ways and put the results side by side;
  // those of the top layer may be added instead.
  bool bidirectional;
  bool directions_added;
  AttentionFunction attention_function;
  // The query is the top layer's state before the decoder's step; else after.
  bool query_before;
  // What is read, side by side: by the decoder's first layer the embedding and
  // the context, for which query_before must hold; by the output (or the layer
  // before it) the top layer's state, the context and the embedding.
  bool input_context;
  bool output_context;
  bool output_embedding;
  InitialState initial_state;
  // Decoder layer i starts from number first_state + i * state_step of the
  // encoder's last states: those of layer 0, forward then backward, and so on.
  uint32_t first_state;
  uint32_t state_step;

  constexpr uint32_t directions() const { return bidirectional ? 2 : 1; }
  // Columns of what an encoder layer gives.
  constexpr uint32_t encoder_width() const {
    return directions() * encoder_hidden;
  }
  constexpr uint32_t memory_width() const {
    return directions_added ? encoder_hidden : encoder_width();
  }
  constexpr uint32_t input_width() const {
    return target_embedding + (input_context ? memory_width() : 0);
  }
  // Columns that the output, or the layer before it, reads.
  constexpr uint32_t feature_width() const {
    return decoder_hidden + (output_context ? memory_width() : 0) +
           (output_embedding ? target_embedding : 0);
  }
  constexpr uint32_t output_width() const {
    return combined > 0 ? combined : feature_width();
  }
};

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
  NetworkKind network_kind;
  // Whether a sublayer's input is added to what it gives.
  bool residual;
  // false: there are no position tables; source_positions and
  // target_positions bound the length all the same.
  bool has_positions;
  // Whether the inside of the feed-forward is activation(gate) * in, two
  // projections of the same input ("GLU Variants Improve Transformer", Shazeer,
  // 2020).
  bool gated_ffn;
  // Whether self-attention adds to each scaled score a number by head and by
  // the distance from query to key, the same in all layers (Raffel et al.,
  // "Exploring the Limits of Transfer Learning", 2020).
  bool relative_attention;
  // The target's embedding is the source's.
  bool embeddings_shared;
  Recurrent recurrent;  // All zero unless kGru.

  constexpr uint32_t encoder_attention_width() const {
    return encoder_heads * encoder_head_dim;
  }
  constexpr uint32_t decoder_attention_width() const {
    return decoder_heads * decoder_head_dim;
  }
};

// A language of a multilingual model.
struct Language {
  int32_t token;  // Of source and target vocabulary.
  char code[20];  // "deu_Latn", zero-terminated.
};

// A task that T5 and its like were trained for. 0: the model's own rule.
struct Task {
  uint32_t max_target_tokens;
  uint32_t min_target_tokens;
  uint32_t no_repeat_ngram;
  char name[36];    // "translation_en_to_de", zero-terminated.
  char prefix[80];  // "translate English to German: ": before the text.
};

// kBeforeText: behind source_prefix. kAfterSuffix: behind source_suffix.
enum class SourceLanguage : uint8_t { kNone, kBeforeText, kAfterSuffix };

// kForcedFirst: it is the first token that is generated. kDecoderStart: it
// stands in the place of decoder_start.
enum class TargetLanguage : uint8_t { kNone, kForcedFirst, kDecoderStart };

// What greedy search obeys. Token ids are target ids unless said.
struct GenerationConfig {
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
  // Forced as the first token; -1: none.
  int32_t forced_first;
  // No sequence of so many tokens comes twice; 0: off.
  uint32_t no_repeat_ngram;
  // 1: off. Of tokens that are there already, decoder_start included, a
  // positive logit is divided by it and a negative one multiplied.
  float repetition_penalty;
  // What TranslateOptions can name, ascending by code. Where there are any, the
  // model has to be told the languages. Views into the image.
  std::span<const Language> languages;
  SourceLanguage source_language;
  TargetLanguage target_language;
  std::span<const Task> tasks;
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
  uint64_t shortlist;
  // Weight bytes read for each generated token: decoder and output, of which a
  // shortlist leaves a part; of a pruned argmax what is read of all tokens.
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
  bool metaspace;
  bool byte_bpe;
  bool bytes;
  uint32_t bpe_unused_pieces;
};

// Views live as long as the image.
struct ModelInfo {
  uint32_t format_version;
  uint64_t checksum;
  Architecture architecture;
  GenerationConfig generation;
  ModelSizes sizes;
  KnownAnswer known_answer;
  bool has_certificate;
  Certificate certificate;  // All zero where there is none.
  bool has_tokenizer;
  TokenizerNeeds tokenizer_needs;  // All false without a tokenizer.
  SentenceRules sentence_rules;    // Empty where the file has none.
  // Whether the words of a source limit those of its translation.
  bool has_shortlist;
  // Whether the output matrix lies so that a pass over half of its bytes tells
  // which few tokens may be the best, and these alone are computed. The tokens
  // are the same as without.
  bool pruned_argmax;
  // Of an int8 model: how many of its matrices have int4 weights.
  uint32_t int4_matrices;
  // "f32", "f16" or "int8", and the packed layout: "8x8", "16x8", "4x8", ...
  const char* weights;
  const char* tile;
  std::string_view source;
  std::string_view license;
  std::string_view converter;
};

}  // namespace latimer

#endif  // LATIMER_MODEL_INFO_H_
