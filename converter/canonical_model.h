// The model between a reader and the writer: every format is read into this.
//
// Tensors are named as in runtime/model/tensor_list.h; their numbers stay in
// the source file until the writer asks for them.
#ifndef LATIMER_CONVERTER_CANONICAL_MODEL_H_
#define LATIMER_CONVERTER_CANONICAL_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/source_tensor.h"
#include "converter/tokenizer_data.h"
#include "latimer/model_info.h"

namespace latimer {

// y = x W^T + b, where W and b may be stacked from several tensors: query, key
// and value become one projection.
struct CanonicalLinear {
  // A row of one of the tensors.
  struct Row {
    const SourceTensor* tensor;
    uint64_t index;
  };

  // Each [outputs_i, inputs].
  std::vector<const SourceTensor*> weights;
  // Parallel to weights, each of outputs_i numbers; null means zero.
  std::vector<const SourceTensor*> biases;
  // The rows of the one tensor that are meant, ascending; null: all of all.
  std::shared_ptr<const std::vector<uint32_t>> rows = nullptr;

  // Where row `output` of W lies. Precondition: W has it.
  Row RowAt(uint64_t output) const;
};

struct CanonicalNorm {
  const SourceTensor* gamma = nullptr;
  const SourceTensor* beta = nullptr;  // null means zero
  float gamma_scale = 1.0f;            // Gamma is multiplied by it.
};

struct CanonicalGeneration {
  int32_t decoder_start = 0;  // -1: a zero embedding
  int32_t eos = 0;
  int32_t pad = 0;  // -1: none
  int32_t forced_eos = -1;
  uint32_t max_target_tokens = 0;
  uint32_t min_target_tokens = 0;
  std::vector<std::vector<int32_t>> banned_sequences;
  // Source ids around those of a text.
  std::vector<int32_t> source_prefix;
  std::vector<int32_t> source_suffix;
  int32_t forced_first = -1;
  uint32_t no_repeat_ngram = 0;
  float repetition_penalty = 1.0f;
  std::vector<Language> languages;  // Ascending by code.
  SourceLanguage source_language = SourceLanguage::kNone;
  TargetLanguage target_language = TargetLanguage::kNone;
  std::vector<Task> tasks;
};

// The usual attention: heads side by side are d_model wide, scores are scaled
// by 1 / sqrt(head_dim). Precondition: the head counts divide d_model.
void SplitHeads(Architecture* architecture);

// Which target tokens may translate a source; schema/model.fbs has the meaning.
struct CanonicalShortlist {
  uint32_t first = 0;
  bool copies_source = false;
  std::vector<uint32_t> offsets;
  std::vector<uint16_t> tokens;

  // What the vectors take in the file.
  size_t bytes() const {
    return offsets.size() * sizeof(uint32_t) + tokens.size() * sizeof(uint16_t);
  }
};

// struct SentenceRules of runtime/include/latimer/sentence_splitter.h.
struct CanonicalSentenceRules {
  std::string languages;
  std::vector<uint32_t> words;
  bool ordinals = false;
};

// Longest texts that are asked for, in tokens; 0: the model's own limit. A
// model without a table of positions can be read for longer ones.
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
  std::optional<CanonicalShortlist> shortlist;
  std::optional<CanonicalSentenceRules> sentence_rules;
  std::string source;
  std::string license;
  // What a user should know but need not act on; one sentence each.
  std::vector<std::string> warnings;
  // Keeps the source file open for as long as tensors view it.
  std::shared_ptr<const void> storage;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_CANONICAL_MODEL_H_
