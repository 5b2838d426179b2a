#include "converter/readers/huggingface_model.h"

#include "converter/canonical_model.h"
#include "converter/error.h"
#include "converter/marian_tokenizer_builder.h"
#include "converter/readers/huggingface_tokenizer.h"
#include "converter/readers/languages.h"
#include "converter/readers/license.h"
#include "converter/readers/sentencepiece_model.h"
#include "converter/readers/text_file.h"
#include "converter/readers/tokenizer_config.h"
#include "converter/readers/vocabulary.h"
#include "converter/text_tokenizer.h"

namespace latimer {

namespace fs = std::filesystem;

JsonFields OpenModelConfig(const fs::path& directory) {
  auto config = JsonFields::Open(directory / "config.json");
  if (!config) {
    FailIn(
        directory / "config.json",
        "cannot open the file; give the folder of a Hugging Face model, or a "
        "PyTorch checkpoint with --map");
  }
  if (!config->Bool("is_encoder_decoder", true)) {
    config->Fail("is_encoder_decoder", "only true is supported");
  }
  return *std::move(config);
}

std::optional<Activation> ActivationNamed(std::string_view name) {
  if (name == "relu") return Activation::kRelu;
  if (name == "gelu" || name == "gelu_python") return Activation::kGelu;
  if (name == "gelu_new" || name == "gelu_fast" ||
      name == "gelu_pytorch_tanh" || name == "gelu_python_tanh" ||
      name == "gelu_accurate") {
    return Activation::kGeluTanh;
  }
  if (name == "swish" || name == "silu") return Activation::kSwish;
  return std::nullopt;
}

void NameModules(const std::string& stack, const std::string& prefix,
                 std::span<const std::pair<const char*, const char*>> modules,
                 bool biases, ModelMap* names) {
  for (const auto& [part, module] : modules) {
    PartNames& of_part = names->tensors[stack + "." + part];
    of_part.weight = {prefix + module + ".weight"};
    if (biases) of_part.bias = {prefix + module + ".bias"};
  }
}

void NameEmbeddings(const std::string& prefix, bool shared, bool tied,
                    ModelMap* names) {
  const std::string both = prefix + "shared.weight";
  const std::string source = prefix + "encoder.embed_tokens.weight";
  const std::string target = prefix + "decoder.embed_tokens.weight";
  const std::string head = "lm_head.weight";
  std::vector<std::string> sources = {source};
  std::vector<std::string> targets = {target};
  std::vector<std::string> outputs = {head};
  if (shared) {
    sources.insert(sources.end(), {both, target});
    targets.insert(targets.end(), {both, source});
    // transformers 5 saves it even if nothing is tied and it is unused.
    names->ignore.push_back(both);
  }
  if (tied) {
    outputs.insert(outputs.end(), targets.begin(), targets.end());
    targets.push_back(head);
    if (shared) sources.push_back(head);
  }
  names->tensors["source_embedding"] = {.weight = sources, .bias = {}};
  names->tensors["target_embedding"] = {.weight = targets, .bias = {}};
  names->tensors["output"] = {.weight = outputs, .bias = {}};
}

namespace {

// Finds the ids that stand before the languages' tokens in a text: in
// MADLAD-400, where they are pieces, that of a space. A language that the
// tokenizer cannot spell so is no language.
void SetTargetPrefix(const TokenizerData& data, CanonicalGeneration* out) {
  TextTokenizer tokenizer(data);
  std::optional<std::vector<int32_t>> prefix;
  std::erase_if(out->languages, [&](const Language& language) {
    std::vector<int32_t> ids =
        tokenizer.Encode(Concat("<2", language.code, ">"));
    if (ids.empty() || ids.back() != language.token) return true;
    ids.pop_back();
    if (!prefix) prefix = ids;
    return ids != *prefix;
  });
  if (prefix) out->source_prefix = *prefix;
  if (out->languages.empty()) out->target_language = TargetLanguage::kNone;
}

// transformers ends a text with the tokenizer's token, Latimer with the
// model's.
void CheckEos(const fs::path& directory, const TokenizerData& data,
              const CanonicalGeneration& generation) {
  if (data.eos_id < 0 || data.eos_id == generation.eos) return;
  FailIn(directory, "the tokenizer's eos_token has the id ", data.eos_id,
         ", but the model's eos_token_id is ", generation.eos);
}

// The source's vocabulary may be smaller than the target's, whose ids the
// tokenizer's languages have.
void CheckLanguages(const fs::path& directory, const CanonicalModel& model) {
  const uint32_t rows = model.architecture.source_vocabulary;
  for (const Language& language : model.generation.languages) {
    if (static_cast<uint32_t>(language.token) < rows) continue;
    FailIn(directory, "the tokenizer's language ", language.code,
           " has the id ", language.token, ", but the source's embedding has ",
           rows, " rows; the files do not belong together");
  }
}

}  // namespace

void ReadModelTokenizer(const fs::path& directory, CanonicalModel* model) {
  (void)ReadModelTokenizer(directory, TokenizerClassOf(directory), model);
}

std::map<std::string, int32_t> ReadModelTokenizer(
    const fs::path& directory, TokenizerClass tokenizer_class,
    CanonicalModel* model) {
  HuggingFaceTokenizer tokenizer =
      ReadHuggingFaceTokenizer(directory, tokenizer_class, model->architecture);
  model->tokenizer = std::move(tokenizer.data);
  model->warnings.insert(model->warnings.end(), tokenizer.warnings.begin(),
                         tokenizer.warnings.end());
  // NLLB as it was first published.
  const bool legacy =
      tokenizer_class == TokenizerClass::kNllb &&
      TokenizerSettings(directory).Bool("legacy_behaviour", false);
  CheckEos(directory, *model->tokenizer, model->generation);
  if (tokenizer.frame) {
    model->generation.source_prefix = tokenizer.frame->first;
    model->generation.source_suffix = tokenizer.frame->second;
  }
  AddLanguages(tokenizer_class, legacy, tokenizer.ids, &model->generation);
  CheckLanguages(directory, *model);
  if (tokenizer_class == TokenizerClass::kT5 &&
      !model->generation.languages.empty()) {
    SetTargetPrefix(*model->tokenizer, &model->generation);
  }
  return tokenizer.ids;
}

TokenizerData ReadMarianTokenizer(const std::filesystem::path& directory,
                                  const Architecture& architecture,
                                  CanonicalGeneration* generation) {
  const TokenizerConfig config = ReadTokenizerConfig(directory);
  RequireTokenizerFiles(directory, {"source.spm", "target.spm", "vocab.json"});
  const SentencePieceModel source =
      ReadSentencePieceModel(directory / "source.spm");
  const SentencePieceModel target =
      ReadSentencePieceModel(directory / "target.spm");
  const Vocabulary vocabulary = ReadVocabulary(directory / "vocab.json");
  const Vocabulary target_vocabulary =
      config.separate_vocabularies
          ? ReadVocabulary(directory / "target_vocab.json")
          : vocabulary;
  TokenizerData data =
      BuildMarianTokenizer({.source = source,
                            .target = target,
                            .source_vocabulary = vocabulary,
                            .target_vocabulary = target_vocabulary,
                            .config = config,
                            .source_rows = architecture.source_vocabulary,
                            .target_rows = architecture.target_vocabulary});
  CheckEos(directory, data, *generation);
  AddMarianLanguages(vocabulary.pieces, generation);
  return data;
}

HuggingFaceModel::HuggingFaceModel(const fs::path& directory,
                                   const HuggingFaceConfig& config,
                                   ModelMap names, const std::string& base) {
  CheckSizes(config.architecture);
  names.name = "config.json";
  const fs::path weights = FindWeights(directory);
  // Buffers that old versions saved, and fairseq's.
  names.unread.insert(names.unread.end(), {"*position_ids", "*._float_tensor"});
  tensors = std::make_shared<MappedTensors>(OpenTensorFile(weights), weights,
                                            std::move(names));
  tensors->FitNames(base);
  model.architecture = config.architecture;
  model.generation = config.generation;
  model.warnings = config.warnings;
  model.storage = tensors;
  model.source = config.name.empty()
                     ? fs::weakly_canonical(directory).filename().string()
                     : config.name;
  model.license = ReadLicense(directory);
}

void HuggingFaceModel::Finish() {
  tensors->Finish();
  const std::vector<std::string>& notes = tensors->notes();
  model.warnings.insert(model.warnings.end(), notes.begin(), notes.end());
}

}  // namespace latimer
