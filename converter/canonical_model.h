// The model as it goes from a reader to the writer; every format is read into
// this.
//
// Tensors are named as in runtime/model/tensor_list.h. Their values stay in the
// source file until the writer asks for them.
#ifndef LATIMER_CONVERTER_CANONICAL_MODEL_H_
#define LATIMER_CONVERTER_CANONICAL_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converter/source_tensor.h"
#include "converter/tokenizer_data.h"
#include "model/model_description.h"

namespace latimer {

// y = x W^T + b. W and b may be stacked from several tensors: query, key and
// value become one projection.
struct CanonicalLinear {
  // A row of one of the tensors.
  struct Row {
    const SourceTensor* tensor;
    uint64_t index;
  };

  // Each [outputs_i, inputs].
  std::vector<const SourceTensor*> weights;
  // Parallel to weights; each has outputs_i numbers. Null means zeros.
  std::vector<const SourceTensor*> biases;
  // The selected rows, ascending, of a single tensor; null: all rows.
  std::shared_ptr<const std::vector<uint32_t>> rows = nullptr;
  // What each row of W and its bias are multiplied by, and each column: powers
  // of two. Empty: nothing. Only for weights that are not quantized yet.
  std::vector<float> row_factors = {};
  std::vector<float> column_factors = {};

  // The numbers of rows and columns of W.
  uint64_t outputs() const;
  uint64_t inputs() const { return weights.at(0)->shape.at(1); }
  // Whether a part of W is integers in the source file.
  bool is_quantized() const;
  // Where row `output` of W is. Precondition: W has that row.
  Row RowAt(uint64_t output) const;
  // Reads that row, multiplied by its factors. Throws ConversionError if a
  // number is not finite. Precondition: `values` has as many numbers as W has
  // columns.
  void ReadRow(uint64_t output, std::span<float> values) const;
};

struct CanonicalNorm {
  const SourceTensor* gamma = nullptr;
  const SourceTensor* beta = nullptr;  // null means zeros
  float gamma_scale = 1.0f;            // Multiplies gamma.
  float gamma_offset = 0.0f;           // Added to gamma before.
};

struct CanonicalGeneration {
  int32_t decoder_start = 0;  // -1: a zero embedding
  int32_t eos = 0;
  int32_t pad = 0;  // -1: none
  int32_t forced_eos = -1;
  uint32_t max_target_tokens = 0;
  uint32_t min_target_tokens = 0;
  std::vector<std::vector<int32_t>> banned_sequences;
  // Source ids before and after those of a text.
  std::vector<int32_t> source_prefix;
  std::vector<int32_t> source_suffix;
  uint32_t source_length = 0;  // Sources are padded to it; 0: not at all.
  int32_t source_pad = 0;
  int32_t forced_first = -1;
  uint32_t no_repeat_ngram = 0;
  float repetition_penalty = 1.0f;
  std::vector<Language> languages;  // Ascending by code.
  SourceLanguage source_language = SourceLanguage::kNone;
  TargetLanguage target_language = TargetLanguage::kNone;
  std::vector<Task> tasks;
  BeamRule search;
  std::vector<BeamRule> task_search;  // One for each task; 0 beams: `search`.
};

// Sets up the usual attention: all heads together are d_model wide, and logits
// are scaled by 1 / sqrt(head_dim). Precondition: the head counts divide
// d_model.
void SplitHeads(Architecture* architecture);

// Throws ConversionError if a size exceeds the profile of this build, or if a
// table of positions is too large for a model file. Sizes that are not yet
// known are 0.
void CheckSizes(const Architecture& architecture);

// Which target tokens may translate a source; see schema/model.fbs.
struct CanonicalShortlist {
  uint32_t first = 0;
  bool copies_source = false;
  std::vector<uint32_t> offsets;
  std::vector<uint16_t> tokens;

  // Bytes that the vectors take in the file.
  size_t bytes() const {
    return offsets.size() * sizeof(uint32_t) + tokens.size() * sizeof(uint16_t);
  }
};

// See struct SentenceRules in
// runtime/include/latimer/internal/sentence_rules.h.
struct CanonicalSentenceRules {
  std::string languages;
  std::vector<uint32_t> words;
  bool ordinals = false;
};

// Requested lengths of the longest texts, in tokens; 0: the model's own limit.
// Only a model without a table of positions can exceed its limit.
struct PositionLimits {
  uint32_t source = 0;
  uint32_t target = 0;
};

struct CanonicalModel {
  Architecture architecture{};
  CanonicalGeneration generation;
  std::map<std::string, CanonicalLinear> linears;
  std::map<std::string, CanonicalNorm> norms;
  std::map<std::string, std::vector<float>> tables;  // row-major
  std::optional<TokenizerData> tokenizer;
  // For texts of the target, if the model is to have it and `tokenizer` does
  // not encode them: see TokenizerData::target_text.
  std::optional<TokenizerData> target_tokenizer;
  std::optional<CanonicalShortlist> shortlist;
  std::optional<CanonicalSentenceRules> sentence_rules;
  // With Architecture::mel_bins only.
  SpeechTokens speech;
  std::vector<uint32_t> speech_heads;  // See ModelDescription.
  // The attention that was trained to align, if that is known.
  std::optional<AlignmentHead> alignment;
  std::string source;
  std::string license;
  std::string version;  // Of the model; may be empty.
  std::string scores;   // As its publisher states them; may be empty.
  // What was assumed because a map does not say it, as FLAG: SENTENCE.
  std::vector<std::string> assumptions;
  // What a user should know, one sentence each.
  std::vector<std::string> warnings;
  // Keeps the source file open while tensors view it.
  std::shared_ptr<const void> storage;
};

// Sets the architecture's flags of tied and, if `share`, shared embeddings, and
// adds the embedding matrices that differ from the output's. Matrices with
// equal values count as the same whatever their names. Null, a missing tensor,
// equals nothing.
void TieEmbeddings(const SourceTensor* source, const SourceTensor* target,
                   const SourceTensor* output, bool share,
                   CanonicalModel* model);

// Leaves out the positions beyond these limits, so that the file is smaller. A
// table that source and target share keeps the longer of both. Limits that the
// model does not reach change nothing; biases of distances stay as they are.
void LimitPositions(const PositionLimits& limits, CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_CANONICAL_MODEL_H_
