#include "converter/readers/open_model.h"

#include "converter/error.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/native_marian_files.h"
#include "converter/readers/text_file.h"
#include "converter/sentence_rules.h"

namespace latimer {
namespace {

CanonicalModel OpenFolder(const std::filesystem::path& path,
                          bool with_tokenizer, const PositionLimits& limits) {
  const auto config = JsonFields::Open(path / "config.json");
  const std::string type = config ? config->Text("model_type", "") : "";
  if (type == "t5" || type == "mt5" || type == "umt5") {
    return ReadHuggingFaceT5(path, with_tokenizer, limits);
  }
  if (type == "t5gemma") return ReadT5Gemma(path, with_tokenizer, limits);
  return ReadHuggingFaceBart(path, with_tokenizer);
}

CanonicalModel WithSentenceRules(const std::filesystem::path& path,
                                 bool with_tokenizer, CanonicalModel model) {
  if (model.architecture.reads_speech() && !with_tokenizer) {
    FailIn(path,
           "reads speech, and the tokens that steer it are in its tokenizer; "
           "convert it without --no-tokenizer");
  }
  if (model.tokenizer && !model.architecture.reads_speech() &&
      (model.generation.languages.empty() ||
       model.generation.target_language == TargetLanguage::kTextsCode)) {
    model.sentence_rules = FindSentenceRules(SourceLanguageOf(path));
  }
  return model;
}

}  // namespace

CanonicalModel OpenModel(const std::filesystem::path& path, bool with_tokenizer,
                         const PositionLimits& limits) {
  if (const auto folder = FindCTranslate2Folder(path)) {
    return WithSentenceRules(*folder, with_tokenizer,
                             ReadCTranslate2(*folder, with_tokenizer, limits));
  }
  if (!FileExists(path / "config.json") && IsNativeMarian(path)) {
    return ReadNativeMarian(path, with_tokenizer);
  }
  if (!std::filesystem::is_directory(path)) {
    FailIn(path,
           "is no model that the converter knows; give the folder of a model "
           "of Hugging Face or CTranslate2, the .npz or .bin of one of Marian, "
           "or with --map a PyTorch checkpoint");
  }
  return WithSentenceRules(path, with_tokenizer,
                           OpenFolder(path, with_tokenizer, limits));
}

}  // namespace latimer
