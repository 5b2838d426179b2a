#include "converter/readers/model_tokenizer.h"

#include <optional>

#include "converter/readers/huggingface_tokenizer.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/languages.h"

namespace latimer {
namespace {

std::optional<LanguageTokens> LanguageTokensOf(TokenizerClass tokenizer) {
  switch (tokenizer) {
    case TokenizerClass::kNllb:
      return LanguageTokens::kNllb;
    case TokenizerClass::kM2m100:
      return LanguageTokens::kM2M100;
    case TokenizerClass::kMBart:
      return LanguageTokens::kMBart;
    case TokenizerClass::kMBart50:
      return LanguageTokens::kMBart50;
    case TokenizerClass::kBart:
    case TokenizerClass::kT5:
    case TokenizerClass::kByT5:
    case TokenizerClass::kPegasus:
      break;
  }
  return std::nullopt;
}

// legacy_behaviour of tokenizer_config.json: NLLB as it was first published.
bool IsLegacy(const std::filesystem::path& directory) {
  const auto config = JsonFields::Open(directory / "tokenizer_config.json");
  return config && config->Bool("legacy_behaviour", false);
}

}  // namespace

void ReadModelTokenizer(const std::filesystem::path& directory,
                        CanonicalModel* model) {
  const TokenizerClass tokenizer_class = TokenizerClassOf(directory);
  HuggingFaceTokenizer tokenizer =
      ReadHuggingFaceTokenizer(directory, tokenizer_class, model->architecture);
  model->tokenizer = std::move(tokenizer.data);
  if (const auto tokens = LanguageTokensOf(tokenizer_class)) {
    AddLanguages(*tokens, IsLegacy(directory), tokenizer.ids,
                 &model->generation);
  }
}

}  // namespace latimer
