// What a model file says about its model.
#ifndef LATIMER_MODEL_INFO_H_
#define LATIMER_MODEL_INFO_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "latimer/internal/sentence_rules.h"

namespace latimer {

// A language of a multilingual model.
struct Language {
  // Its id in both vocabularies; if it stands before the text, in the
  // source's.
  int32_t token;
  char code[20];  // "deu_Latn", zero-terminated.
};

// A task that a model such as T5 was trained for. A limit of 0 stands for the
// model's own.
struct Task {
  uint32_t max_target_tokens;
  uint32_t min_target_tokens;
  uint32_t no_repeat_ngram;
  char name[36];    // "translation_en_to_de", zero-terminated.
  char prefix[80];  // "translate English to German: ", before the text.
};

// The views live as long as the image.
struct ModelInfo {
  std::string_view source;         // What it was converted from.
  std::string_view model_version;  // Empty if its owner gave none.
  std::string_view license;
  std::string_view converter;  // The program, and its version.
  uint32_t format_version;
  uint64_t checksum;    // XXH3-64, of the file.
  const char* weights;  // "f32", "f16" or "int8"
  uint32_t source_vocabulary;
  uint32_t target_vocabulary;
  int32_t eos;  // The target id that ends a translation.
  // The languages that TranslateOptions can name, in ascending order of their
  // codes. A multilingual model needs the target's, and most need both.
  std::span<const Language> languages;
  std::span<const Task> tasks;
  bool has_tokenizer;  // false: it translates ids only.
  bool reads_speech;   // Its source is speech; see latimer/transcriber.h.
  // Whether texts of the target can be turned into ids: both sides have one
  // tokenizer (M2M100's and those of Marian are two), or the file has both.
  bool encodes_target;
  // For SentenceSplitter; empty if the file has none.
  SentenceRules sentence_rules;
  // What quantization cost, if it was measured (latimer-convert --certify): the
  // share of the f32 model's tokens that this model chooses, too.
  std::optional<double> certified_share;
};

}  // namespace latimer

#endif  // LATIMER_MODEL_INFO_H_
