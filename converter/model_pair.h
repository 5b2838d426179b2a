// Translates a line with the f32 model and with the packed one, and compares
// them.
#ifndef LATIMER_CONVERTER_MODEL_PAIR_H_
#define LATIMER_CONVERTER_MODEL_PAIR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converter/loaded_model.h"
#include "internals.h"
#include "latimer/translator.h"
#include "model/certificate.h"

namespace latimer {

// Sums of squares of the f32 model's outputs (signal), and of the differences
// of the packed model's from them (noise).
struct PowerSums {
  double signal = 0;
  double noise = 0;

  PowerSums& operator+=(const PowerSums& other) {
    signal += other.signal;
    noise += other.noise;
    return *this;
  }
};

// How the two translations of a line differ.
struct ComparedLine {
  // Empty without a tokenizer.
  std::string f32_translation, translation;
  uint64_t tokens = 0;                   // of f32, EOS included
  uint64_t agreeing = 0;                 // as Certificate::agreeing_tokens
  bool equal = true;                     // Both have the same tokens.
  std::optional<Divergence> divergence;  // Its line is not set.
  // For each encoder layer, each decoder layer, and the logits; empty if there
  // was nothing to translate.
  std::vector<PowerSums> outputs;
};

// Must be linked with a runtime whose profile has `probes` and `scores`
// (transformer/probe.h). For one thread. Takes about 2 MB, plus the parts of
// two workspaces that the model touches, plus the outputs of f32 for the first
// 64 target tokens.
class ModelPair {
 public:
  // Takes two images of the same model, which must outlive this object. Throws
  // ConversionError if one does not load.
  ModelPair(std::span<const std::byte> f32, std::span<const std::byte> packed);
  ~ModelPair();

  // Translates a line, in parts if it is long. Without a tokenizer the line
  // consists of token ids. Throws ConversionError if that fails.
  ComparedLine Compare(std::string_view line);

  // The packed model's.
  const ModelDescription& info() const { return Internals::Describe(packed_); }

 private:
  class Recorder;
  class Comparer;

  void ComparePart(std::span<const int32_t> source,
                   std::span<const int32_t> f32_tokens, ComparedLine* line);
  void CompareText(std::string_view text, ComparedLine* line);
  void CompareIds(std::string_view ids, ComparedLine* line);

  LoadedModel f32_model_, packed_model_;
  Translator &f32_ = f32_model_.translator(),
             &packed_ = packed_model_.translator();
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_MODEL_PAIR_H_
