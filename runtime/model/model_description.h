// What a model file says about the model: all of it, for the runtime, the
// converter and the programs. Users have ModelInfo of it.
#ifndef LATIMER_MODEL_MODEL_DESCRIPTION_H_
#define LATIMER_MODEL_MODEL_DESCRIPTION_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "base/activation.h"
#include "latimer/model_info.h"
#include "latimer/options.h"
#include "model/certificate.h"

namespace latimer {

// kPost: LayerNorm(x + sublayer(x)), as in "Attention Is All You Need".
// kPre: x + sublayer(LayerNorm(x)). kBoth: x + Norm(sublayer(Norm(x))), each
// with weights of its own, as in Gemma 2.
enum class NormPosition : uint8_t { kPost, kPre, kBoth };

// kLayerNorm: (x - mean) / sqrt(variance + epsilon) * gamma + beta, as PyTorch.
// kUnbiasedStd: (x - mean) / (standard deviation + epsilon) * gamma + beta,
// with the variance divided by D - 1, as in "The Annotated Transformer". kNone:
// no norms. kRms: x / sqrt(mean of x^2 + epsilon) * gamma, without beta ("Root
// Mean Square Layer Normalization", Zhang and Sennrich, 2019), as in T5.
enum class NormKind : uint8_t { kLayerNorm, kUnbiasedStd, kNone, kRms };

// kTransformer: a Transformer. kTransformerSsru: its decoder has a Simpler
// Simple Recurrent Unit instead of self-attention (Kim et al., "From Research
// to Production and Back", 2019):
//   f = sigmoid(Wf x + bf), c = f * c_before + (1 - f) * (W x), relu(c).
// kGru, kLstm: encoder and decoder are GRUs or LSTMs; see Recurrent.
enum class NetworkKind : uint8_t {
  kTransformer,
  kTransformerSsru,
  kGru,
  kLstm
};

// How well a source position with key k matches the query q, before softmax.
// kAdditive: v . f(q + k), f usually tanh (Bahdanau et al., 2015); kDot,
// kGeneral: q . k (Luong et al., 2015). kNone: there is no attention; the
// context is the encoder's last state.
enum class AttentionFunction : uint8_t { kAdditive, kDot, kGeneral, kNone };

// Whether query and keys come out of a layer, as those papers have it.
constexpr bool UsuallyHasQueryLayer(AttentionFunction function) {
  return function == AttentionFunction::kAdditive;
}
// Whether keys are projected, unless a model says otherwise.
constexpr bool UsuallyHasKeysLayer(AttentionFunction function) {
  return function == AttentionFunction::kAdditive ||
         function == AttentionFunction::kGeneral;
}

// What a recurrent decoder starts from, h being states of the encoder.
// kZero: zeros.
// kProjected: each layer from tanh(W h + b), h the last states of the top
// layer, forward before backward. kProjectedMean: the same of the mean of that
// layer's outputs. kProjectedLayers: decoder layer i of the last states of
// layer i. kEncoderStates: the last states as they are.
enum class InitialState : uint8_t {
  kZero,
  kProjected,
  kEncoderStates,
  kProjectedMean,
  kProjectedLayers
};

// Whether a layer of the model makes the first state.
constexpr bool IsProjected(InitialState state) {
  return state != InitialState::kZero && state != InitialState::kEncoderStates;
}

// Behind a layer of a recurrent network; kLeakyRelu: x, or
// Recurrent::negative_slope * x below 0.
enum class LayerActivation : uint8_t { kNone, kTanh, kRelu, kLeakyRelu };

// NetworkKind::kGru and kLstm: a recurrent encoder and decoder. Of the members
// of Architecture, only layers, vocabularies, positions (as limits) and tied
// embeddings apply to it. Its memory, which the decoder attends to, is the
// output of the encoder's top layer, or a projection of it.
struct Recurrent {
  // LSTM: a state is a hidden state and, behind it, a cell of the same width.
  // GRU: a state is a hidden state.
  bool has_cells;
  // Widths of the embeddings and of the states.
  uint32_t source_embedding;
  uint32_t target_embedding;
  uint32_t encoder_hidden;
  uint32_t decoder_hidden;
  // Width of queries and keys.
  uint32_t attention_hidden;
  // f of kAdditive.
  Activation attention_activation;
  // Whether the query is a projection of the decoder's hidden state rather than
  // the state itself, and the keys are projections of the memory.
  bool query_layer;
  bool keys_layer;
  // Outputs of a layer between encoder and memory; 0: there is none.
  uint32_t projected_memory;
  LayerActivation memory_activation;  // Of that layer.
  // Outputs of a layer between what the decoder reads and its first recurrent
  // layer; 0: there is none.
  uint32_t input_layer;
  LayerActivation input_activation;
  // Of the logits of kAdditive, which then have a bias, the last number of the
  // energy.
  LayerActivation energy_activation;
  // Outputs of the layer between attention and output; 0: there is none.
  uint32_t combined;
  LayerActivation combine_activation;
  float negative_slope;  // Of each kLeakyRelu.
  // Encoder layers read the source in both directions and concatenate the
  // results; the results of the top layer may be added instead.
  bool bidirectional;
  bool directions_added;
  AttentionFunction attention_function;
  // Whether the query is the top layer's state before the decoder's step rather
  // than after it.
  bool query_before;
  // Whether the query is the sum of all layers' states.
  bool query_sum;
  // Concatenated inputs: the decoder reads the embedding and,
  // with input_context, which needs query_before, the context. The output, or
  // the layer before it, reads the top layer's state and, with
  // output_context and output_embedding, the context and the embedding.
  bool input_context;
  bool output_context;
  bool output_embedding;
  InitialState initial_state;
  // Whether the projections of the first state lack the tanh. Cells have a
  // projection of their own.
  bool initial_linear;
  // Whether the encoder reads the text's tokens from the last to the first,
  // between what stands before and after them.
  bool reversed_source;
  // Decoder layer i starts from the encoder's last state number
  // first_state + i * state_step; states are ordered by layer, forward before
  // backward.
  uint32_t first_state;
  uint32_t state_step;

  // In which the encoder reads.
  constexpr uint32_t directions() const { return bidirectional ? 2 : 1; }
  // Width of an encoder layer's output.
  constexpr uint32_t encoder_width() const {
    return directions() * encoder_hidden;
  }
  // Width of what the memory is, or is projected from.
  constexpr uint32_t encoded_width() const {
    return directions_added ? encoder_hidden : encoder_width();
  }
  // Width of what the decoder attends to.
  constexpr uint32_t memory_width() const {
    return projected_memory > 0 ? projected_memory : encoded_width();
  }
  // Width of what the first state is projected from.
  constexpr uint32_t initial_width() const {
    return initial_state == InitialState::kProjectedMean ? memory_width()
                                                         : encoder_width();
  }
  // Columns of a decoder layer's state.
  constexpr uint32_t decoder_state() const {
    return (has_cells ? 2 : 1) * decoder_hidden;
  }
  // Gates of a cell.
  constexpr uint32_t gates() const { return has_cells ? 4 : 3; }
  // Width of what the decoder reads.
  constexpr uint32_t input_width() const {
    return target_embedding + (input_context ? memory_width() : 0);
  }
  // Width of the input of the first decoder layer.
  constexpr uint32_t first_layer_width() const {
    return input_layer > 0 ? input_layer : input_width();
  }
  // Numbers of the energy.
  constexpr uint32_t energy_width() const {
    return attention_hidden +
           (energy_activation != LayerActivation::kNone ? 1 : 0);
  }
  // Whether it needs Profile::recurrent_extras.
  constexpr bool has_extras() const {
    return memory_activation != LayerActivation::kNone || input_layer > 0 ||
           energy_activation != LayerActivation::kNone || query_sum ||
           combine_activation != LayerActivation::kTanh;
  }
  // Width of the input of the output, or of the layer before it.
  constexpr uint32_t feature_width() const {
    return decoder_hidden + (output_context ? memory_width() : 0) +
           (output_embedding ? target_embedding : 0);
  }
  // Width of the input of the output.
  constexpr uint32_t output_width() const {
    return combined > 0 ? combined : feature_width();
  }
};

// Sizes and switches that define the network.
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
  // Rows of the position tables: the longest source and target in tokens.
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
  // Width of a head's query, key and value. The attention width, that of all
  // heads together, may differ from d_model.
  uint32_t encoder_head_dim;
  uint32_t decoder_head_dim;
  // Factor of query times key, usually 1 / sqrt(head_dim).
  float encoder_attention_scale;
  float decoder_attention_scale;
  NormKind norm_kind;
  NetworkKind network_kind;
  // Whether a sublayer's input is added to its output.
  bool residual;
  // Whether there are position tables. source_positions and target_positions
  // limit the length in either case.
  bool has_positions;
  // Whether the feed-forward multiplies two projections of its input,
  // activation(gate) * in ("GLU Variants Improve Transformer", Shazeer, 2020).
  bool gated_ffn;
  // Whether self-attention adds a bias before softmax that depends on the head
  // and on the distance from query to key (Raffel et al., "Exploring the Limits
  // of Transfer Learning", 2020).
  bool relative_attention;
  // Whether source and target have the same embedding.
  bool embeddings_shared;
  // Whether each layer has such biases of its own (umT5) or all have the same.
  bool relative_bias_per_layer;
  // Whether the embedding norm is of the embeddings alone, before positions are
  // added.
  bool encoder_norm_before_positions;
  bool decoder_norm_before_positions;
  // The encoder reads frames of so many mel bins, two for each position,
  // instead of token ids; 0: it reads ids. See transformer/frames.h.
  uint32_t mel_bins;
  // Whether self-attention turns queries and keys by their positions
  // ("RoFormer", Su et al., 2021).
  bool rotary_positions;
  // Bounds of the logits of attention and of the output: cap * tanh(x / cap).
  // 0: there is none.
  float attention_cap;
  float logit_cap;
  Recurrent recurrent;  // All zero unless is_recurrent().

  // Whether it has GRUs or LSTMs.
  constexpr bool is_recurrent() const {
    return network_kind == NetworkKind::kGru ||
           network_kind == NetworkKind::kLstm;
  }
  // Whether the source is speech instead of text.
  constexpr bool reads_speech() const { return mel_bins > 0; }
  // Whether the decoder attends to the source.
  constexpr bool attends() const {
    return !is_recurrent() ||
           recurrent.attention_function != AttentionFunction::kNone;
  }

  // Width of all heads together.
  constexpr uint32_t encoder_attention_width() const {
    return encoder_heads * encoder_head_dim;
  }
  // The same of the decoder.
  constexpr uint32_t decoder_attention_width() const {
    return decoder_heads * decoder_head_dim;
  }
  // Rows of the tables of biases by distance.
  constexpr uint32_t encoder_bias_rows() const {
    return encoder_heads * (relative_bias_per_layer ? encoder_layers : 1);
  }
  // The same of the decoder.
  constexpr uint32_t decoder_bias_rows() const {
    return decoder_heads * (relative_bias_per_layer ? decoder_layers : 1);
  }
};

// Where the source language's token stands: after source_prefix, or after
// source_suffix.
enum class SourceLanguage : uint8_t { kNone, kBeforeText, kAfterSuffix };

// Where the target language's token stands: it is the first generated token, or
// replaces decoder_start, or stands in the source before the text. With
// kTextsCode, too, but there a text may begin with its own ">>deu<<", or with
// none.
enum class TargetLanguage : uint8_t {
  kNone,
  kForcedFirst,
  kDecoderStart,
  kBeforeText,
  kTextsCode
};

// Whether the code of the target language is a token of the source.
constexpr bool StandsInSource(TargetLanguage place) {
  return place == TargetLanguage::kBeforeText ||
         place == TargetLanguage::kTextsCode;
}

// How the makers of a model search.
struct BeamRule {
  uint32_t beams = 1;  // 1: greedy search.
  // Above 0 prefers long translations, below 0 short ones.
  float length_penalty = 1.0f;
  EarlyStopping early_stopping = EarlyStopping::kHeuristic;
  // Whether the probability of tokens that are forbidden goes to the others:
  // renormalize_logits.
  uint8_t renormalize = 0;
  uint16_t reserved = 0;
};

// The model's defaults for generation. Token ids are target ids unless stated
// otherwise.
struct GenerationConfig {
  // The decoder's first input; -1: a zero embedding, as in Marian.
  int32_t decoder_start;
  int32_t eos;
  int32_t pad;  // -1: none.
  // Forced as the last token when max_target_tokens is reached; -1: none.
  int32_t forced_eos;
  uint32_t max_target_tokens;
  uint32_t min_target_tokens;
  // Sequences that are never produced, one after another in banned_tokens;
  // sequence i ends before banned_ends[i]. Views into the image.
  std::span<const int32_t> banned_tokens;
  std::span<const uint32_t> banned_ends;
  // Source ids before and after those of a text; with kBeforeText, those before
  // belong to the target's language. Views into the image.
  std::span<const int32_t> source_prefix;
  std::span<const int32_t> source_suffix;
  // Every source has this many ids: source_pad is appended to shorter ones, and
  // the encoder reads it like any other token. 0: no source is padded.
  uint32_t source_length;
  int32_t source_pad;
  // Forced as the first token; -1: none.
  int32_t forced_first;
  // No sequence of this many tokens is produced twice; 0: off.
  uint32_t no_repeat_ngram;
  // For tokens that were produced already, including decoder_start, a positive
  // logit is divided by it and a negative one multiplied; 1: off.
  float repetition_penalty;
  BeamRule search;
  // Those of ModelInfo, which TranslateOptions must name but for kTextsCode.
  std::span<const Language> languages;
  SourceLanguage source_language;
  TargetLanguage target_language;
  std::span<const Task> tasks;
  // One for each task, or none; 0 beams: the model's rule.
  std::span<const BeamRule> task_search;
};

// How many tokens a lexical shortlist may allow, and what the row of the output
// matrix of one takes when it is copied (search/shortlist.h); all 0 without a
// shortlist.
struct ShortlistSize {
  uint32_t common;   // At most so many tokens for every source,
  uint32_t longest;  // and for each of its tokens.
  uint64_t row_bytes;
};

// Bytes of the image by purpose. A tied embedding counts as output.
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
  // Weight bytes read per generated token: decoder and output. With a shortlist
  // as many output rows count as a sentence usually allows, for a pruned argmax
  // only what it reads of every output row.
  uint64_t streamed_per_token;
};

// Source ids, including EOS, and the target ids that the model generates for
// them when min_target_tokens and max_target_tokens equal their number. Both
// are empty if the file has none.
struct KnownAnswer {
  std::span<const int32_t> source;
  std::span<const int32_t> target;
};

// The features of a profile that the tokenizer needs, by their names there.
struct TokenizerNeeds {
  bool unigram;
  bool bpe;
  bool words;
  bool metaspace;
  bool byte_bpe;
  bool bytes;
  uint32_t bpe_unused_pieces;
  // What of `words` its two sides are: words, characters, the longest pieces.
  bool of_words;
  bool of_characters;
  bool of_longest_matches;
};

// The cross-attention that aligns tokens best.
struct AlignmentHead {
  uint32_t layer = 0;  // Of the decoder, from 0.
  int32_t head = -1;   // -1: the mean of all heads.
  // A target token is aligned by the step that reads it, not by the one that
  // chooses it. In lower layers that is the better one.
  bool reads = false;
};

// Target ids that steer a model that reads speech (Radford et al., "Robust
// Speech Recognition via Large-Scale Weak Supervision", 2022); -1: it has none.
struct SpeechTokens {
  int32_t transcribe = -1;
  int32_t translate = -1;
  int32_t no_timestamps = -1;
  // What the first step predicts if there is no speech; never produced.
  int32_t no_speech = -1;
  int32_t start_of_previous = -1;
  // Of 0 seconds; the others follow in steps of 0.02.
  int32_t first_timestamp = -1;
};

// All of it. The views live as long as the image.
struct ModelDescription : ModelInfo {
  Architecture architecture;
  GenerationConfig generation;
  ModelSizes sizes;
  KnownAnswer known_answer;
  bool has_certificate;
  Certificate certificate;            // All zero if there is none.
  TokenizerNeeds tokenizer_needs;     // All false without a tokenizer.
  std::string_view published_scores;  // Empty if nothing is known.
  std::string_view assumptions;       // Of the converter; empty if none.
  // Of the most common characters, those that the tokenizer folds, and those
  // that it cannot read.
  std::string_view folded;
  std::string_view unread;
  // What TokenLinks are read from.
  AlignmentHead alignment;
  SpeechTokens speech;  // Of a model that reads speech.
  // Likewise: heads of the decoder's cross-attention that hear a word where it
  // is said, layer * decoder_heads + head; at most as many as
  // kMostSpeechHeadLayers have. Empty: none is known.
  std::span<const uint32_t> speech_heads;
  // Whether a lexical shortlist limits the target tokens of a source.
  bool has_shortlist;
  ShortlistSize shortlist;
  // Whether the output matrix is laid out for a pruned argmax: a pass over half
  // of its bytes finds the few tokens that can be the best, and only these are
  // computed exactly. The chosen tokens are the same.
  bool pruned_argmax;
  // How many matrices of an int8 model have int4 weights.
  uint32_t int4_matrices;
  uint32_t int6_matrices;  // Likewise.
  uint32_t f16_matrices;   // Likewise, and all of an f16 model.
  // The packed layout, such as "8x8" or "4x8".
  const char* tile;
};

}  // namespace latimer

#endif  // LATIMER_MODEL_MODEL_DESCRIPTION_H_
