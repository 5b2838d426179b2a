// Marian's options: those a model was trained with, which its weights file
// holds, and decoder.yml.
#ifndef LATIMER_CONVERTER_READERS_MARIAN_OPTIONS_H_
#define LATIMER_CONVERTER_READERS_MARIAN_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "converter/readers/yaml_file.h"
#include "latimer/model_info.h"

namespace latimer {

// A YAML map with errors that name file and option. Everything throws
// ConversionError where a value is not what was asked for.
class MarianOptions {
 public:
  // `name` is what errors call the file.
  MarianOptions(YamlNode root, std::string name);

  bool Has(std::string_view option) const;
  std::string Text(std::string_view option, const std::string& fallback) const;
  bool Bool(std::string_view option, bool fallback) const;
  // A whole number in [minimum, 2^31).
  uint32_t Count(std::string_view option, uint32_t fallback,
                 uint32_t minimum = 0) const;
  // Empty if the option is absent; a single text counts as a list of one.
  std::vector<std::string> List(std::string_view option) const;
  std::vector<uint32_t> Counts(std::string_view option) const;

  // "FILE: OPTION is VALUE; WHY."
  [[noreturn]] void Fail(std::string_view option, const std::string& why) const;

  const std::string& name() const { return name_; }
  const std::vector<std::string>& names() const { return root_.keys; }

 private:
  YamlNode root_;
  std::string name_;
};

struct NativeMarianConfig {
  // Without what only the tensors tell. Vocabularies are 0 where the options do
  // not give them, positions are not set.
  Architecture architecture{};
  bool shared_embeddings = false;  // Wemb, else encoder_Wemb, decoder_Wemb.
  bool output_tied = false;        // To the target embedding.
  bool output_bias = true;
  bool wants_learned_positions = false;
  // Numbers of the decoder layers in the tensors' names, from 1.
  std::vector<uint32_t> decoder_layers;
  std::vector<std::string> warnings;
};

// What the options of a model mean. Throws ConversionError where one would
// change a result and its value is not supported; warns of unknown ones.
NativeMarianConfig ReadMarianModelOptions(const MarianOptions& options);

// Throws ConversionError where an option of decoder.yml would change a greedy
// translation and is not supported; returns warnings of unknown ones.
std::vector<std::string> CheckMarianDecoderOptions(
    const MarianOptions& options);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MARIAN_OPTIONS_H_
