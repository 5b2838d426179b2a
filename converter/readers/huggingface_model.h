// What the readers of all Hugging Face families share.
#ifndef LATIMER_CONVERTER_READERS_HUGGINGFACE_MODEL_H_
#define LATIMER_CONVERTER_READERS_HUGGINGFACE_MODEL_H_

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/canonical_model.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/mapped_tensors.h"
#include "converter/readers/tokenizer_class.h"

namespace latimer {

// What config.json and generation_config.json say of a model of any family.
struct HuggingFaceConfig {
  // Without the facts that only the tensors tell: which embeddings are tied or
  // shared, and whether positions are.
  Architecture architecture{};
  CanonicalGeneration generation;
  std::string name;
  std::vector<std::string> warnings;
};

// Opens config.json. Throws ConversionError if there is none, or if it is not
// that of an encoder-decoder.
JsonFields OpenModelConfig(const std::filesystem::path& directory);

// The activation of that name in transformers' ACT2FN, if it is supported.
std::optional<Activation> ActivationNamed(std::string_view name);

// Names the parts "STACK.PART" of `names`, pairs of PART and module, by the
// modules PREFIX + module, with or without biases.
void NameModules(const std::string& stack, const std::string& prefix,
                 std::span<const std::pair<const char*, const char*>> modules,
                 bool biases, ModelMap* names);

// Names the embeddings, which are modules of PREFIX, and the output. A file may
// hold a matrix that is `shared` between them or `tied` to the output under any
// of its names, or under all of them. The module's own name comes first.
void NameEmbeddings(const std::string& prefix, bool shared, bool tied,
                    ModelMap* names);

// Reads the tokenizer of model->architecture and, for a multilingual model, the
// languages of the generation config. Throws ConversionError.
void ReadModelTokenizer(const std::filesystem::path& directory,
                        CanonicalModel* model);
// The same for a tokenizer whose class is known. Returns the ids of its special
// and added tokens.
std::map<std::string, int32_t> ReadModelTokenizer(
    const std::filesystem::path& directory, TokenizerClass tokenizer_class,
    CanonicalModel* model);

// The tokenizer of a Hugging Face Marian directory: source.spm, target.spm,
// vocab.json, target_vocab.json where vocabularies are separate, and what
// tokenizer_config.h reads. Adds the languages of its >>codes<<.
// Throws ConversionError when a file is missing or damaged, or when the
// tokenizer does not belong to a model of these sizes and end of sentence.
TokenizerData ReadMarianTokenizer(const std::filesystem::path& directory,
                                  const Architecture& architecture,
                                  CanonicalGeneration* generation);

// A model whose architecture, generation config, source and licence are known,
// with its tensors, which it keeps open.
struct HuggingFaceModel {
  // Opens the folder's weights. `names` says what its parts are called; `base`
  // is what a model without its head may leave out of those names.
  HuggingFaceModel(const std::filesystem::path& directory,
                   const HuggingFaceConfig& config, ModelMap names,
                   const std::string& base);

  // MappedTensors::Finish; adds what the user should know to the warnings.
  void Finish();

  std::shared_ptr<MappedTensors> tensors;
  CanonicalModel model;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_HUGGINGFACE_MODEL_H_
