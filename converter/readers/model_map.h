// The map of a user's own PyTorch model: what its tensors are called, and what
// its code does that the tensors do not show. docs/maps.md describes the
// JSON.
#ifndef LATIMER_CONVERTER_READERS_MODEL_MAP_H_
#define LATIMER_CONVERTER_READERS_MODEL_MAP_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converter/readers/map_parts.h"
#include "converter/tokenizer_builder.h"
#include "model/model_description.h"

namespace latimer {

// Which head an output of the query, key and value projections belongs to.
enum class HeadLayout : uint8_t {
  kContiguous,   // output / head_dim
  kInterleaved,  // output % heads
  kModules,      // each head has projections of its own, named by {head}
};

enum class PositionKind : uint8_t {
  kInterleaved,  // sine and cosine take turns
  kHalves,       // all sines, then all cosines
  kLearned,      // a table in the file
  kNone,
};

// Whether the model has an optional part; kIfPresent: if the file has its
// tensors.
enum class Presence : uint8_t { kNo, kYes, kIfPresent };

struct VocabularyFlags {
  TokenizerSide::Kind kind = TokenizerSide::Kind::kWords;
  // A list of words or characters, or a SentencePiece model. Empty: none.
  std::filesystem::path file;
  // The ids of a SentencePiece model's pieces; empty: its own.
  std::filesystem::path ids;
  // For the source; see TokenizerSide.
  bool lower_case = false;
  std::string says_lower_case;  // For messages: the map, or its base.
  bool skips_spaces = false;
  bool skips_unknown = false;
};

// Absent ids are -1.
struct SpecialIds {
  int32_t pad = -1;
  int32_t sos = -1;
  int32_t eos = -1;
  int32_t unk = -1;
};

// What the code of a model of GRUs or LSTMs does; see struct Recurrent.
struct RecurrentFlags {
  bool has_cells = false;
  AttentionFunction attention_function = AttentionFunction::kAdditive;
  Activation attention_activation = Activation::kTanh;
  bool query_before = false;
  std::optional<bool> directions_added;  // Absent: not said.
  // Whether the context is the encoder's final state, without attention.
  bool final_context = false;
  bool reverse_source = false;
  // The first state of decoder layer i of n: a projection of the top layer's
  // final states, of layer i's, or of the outputs' mean; zeros; or one of the
  // encoder's final states: number i (kFirst), the i-th of the last n (kLast),
  // or that of layer i in one direction.
  enum class InitialState : uint8_t {
    kProjected,
    kProjectedLayers,
    kMean,
    kZeros,
    kFirst,
    kLast,
    kForward,
    kBackward
  };
  InitialState initial_state = InitialState::kProjected;
  bool initial_linear = false;  // Without tanh.
  LayerActivation projection_activation = LayerActivation::kNone;
  LayerActivation input_activation = LayerActivation::kNone;
  LayerActivation energy_activation = LayerActivation::kNone;
  LayerActivation combine_activation = LayerActivation::kTanh;
  double negative_slope = 0;  // Of kLeakyRelu.
  bool query_sum = false;     // Of the states of all layers.
  // Inputs that are concatenated, in the order of the weights' columns.
  std::vector<std::string> attention_reads;
  std::vector<std::string> decoder_reads;
  std::vector<std::string> output_reads;
};

struct ModelMap {
  // For messages: the file's path, or "preset:NAME".
  std::string name;
  // What it does not say and the converter therefore assumes, as FLAG:
  // SENTENCE; only what matters for its parts. The tensors may settle more.
  std::vector<std::string> assumptions;

  // By part: "encoder.self_attention.query", ....
  std::map<std::string, PartNames> tensors;
  // Tensors that are not needed; `*` stands for anything.
  std::vector<std::string> ignore;
  // The same for what the original library does not read, either; a note names
  // them.
  std::vector<std::string> unread;
  // Parts whose bias may be absent; `*` stands for anything.
  std::vector<std::string> optional_bias;
  // Removed from the front of every tensor's name.
  std::string prefix;

  // Set for a model of GRUs or LSTMs, which ignores the flags of Transformers
  // below.
  std::optional<RecurrentFlags> recurrent;

  uint32_t encoder_heads = 0;  // 0: to be counted, with kModules.
  uint32_t decoder_heads = 0;
  HeadLayout head_layout = HeadLayout::kContiguous;
  // Attention logits are multiplied by 1 / sqrt(head_dim), 1 / sqrt(d_model),
  // or `attention_scale`.
  enum class AttentionScale : uint8_t { kHeadDim, kDModel, kNumber };
  AttentionScale attention_scale_kind = AttentionScale::kHeadDim;
  double attention_scale = 0;

  bool pre_norm = false;
  bool has_norms = true;
  bool unbiased_std = false;  // Otherwise LayerNorm.
  double norm_epsilon = 1e-5;
  Presence final_norm = Presence::kIfPresent;
  Presence embedding_norm = Presence::kIfPresent;
  bool residual = true;
  Activation activation = Activation::kRelu;

  PositionKind positions = PositionKind::kInterleaved;
  // Of kHalves and kInterleaved: column pair i has the frequency
  // 10000^(-i / (d / 2)), or with a short divisor 10000^(-i / (d / 2 - 1)).
  bool short_divisor = false;
  // Whether embeddings are normalized before positions are added.
  bool encoder_norm_before_positions = false;
  bool decoder_norm_before_positions = false;
  // The table's row of the first token.
  uint32_t position_offset = 0;
  // Indexes the table by sentence, so that every token of a single sentence
  // gets the first row.
  bool positions_along_batch = false;
  uint32_t max_source_tokens = 0;  // 0: as many as there are positions for.
  uint32_t max_target_tokens = 0;

  std::optional<double> embedding_scale;  // Absent: sqrt(d_model).
  bool shared_embeddings = false;
  bool tied_output = false;

  VocabularyFlags source_vocabulary;
  VocabularyFlags target_vocabulary;
  SpecialIds source_ids;
  SpecialIds target_ids;
  int32_t decoder_start = 0;
  std::vector<int32_t> source_prefix;
  std::vector<int32_t> source_suffix;
  // Sources are padded to it with source_ids.pad; 0: not at all.
  uint32_t source_length = 0;
};

// `from` is a path or "preset:NAME"; `settings` are the KEY=VALUE of --set,
// which come on top. Throws ConversionError if a file is missing, or a field is
// unknown, missing or not what it must be.
ModelMap ReadModelMap(const std::string& from,
                      std::span<const std::string> settings);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MODEL_MAP_H_
