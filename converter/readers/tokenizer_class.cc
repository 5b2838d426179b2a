#include "converter/readers/tokenizer_class.h"

#include <optional>
#include <string>

#include "converter/error.h"
#include "converter/readers/text_file.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

// transformers' name of a class, and the model_type that has it by default.
struct KnownClass {
  const char* name;
  const char* model_type;
  TokenizerClass tokenizer_class;
};
constexpr KnownClass kClasses[] = {
    {"BartTokenizer", "bart", TokenizerClass::kBart},
    {"MvpTokenizer", "mvp", TokenizerClass::kBart},
    {"RobertaTokenizer", "", TokenizerClass::kBart},
    {"WhisperTokenizer", "whisper", TokenizerClass::kWhisper},
    {"T5Tokenizer", "t5", TokenizerClass::kT5},
    {"MT5Tokenizer", "mt5", TokenizerClass::kT5},
    {"T5Tokenizer", "umt5", TokenizerClass::kT5},
    {"ByT5Tokenizer", "byt5", TokenizerClass::kByT5},
    {"PegasusTokenizer", "pegasus", TokenizerClass::kPegasus},
    {"MBartTokenizer", "mbart", TokenizerClass::kMBart},
    {"MBart50Tokenizer", "mbart50", TokenizerClass::kMBart50},
    {"NllbTokenizer", "nllb", TokenizerClass::kNllb},
    {"M2M100Tokenizer", "m2m_100", TokenizerClass::kM2m100},
    {"SMALL100Tokenizer", "", TokenizerClass::kSmall100},
    {"IndicTransTokenizer", "IndicTrans", TokenizerClass::kIndicTrans},
    {"GemmaTokenizer", "t5gemma", TokenizerClass::kGemma},
};

JsonFields OpenFields(const fs::path& path) {
  const std::optional<JsonFields> fields = JsonFields::Open(path);
  return fields.has_value() ? *fields
                            : JsonFields::From(path, nlohmann::json::object());
}

}  // namespace

std::vector<NamedTokenDefault> DefaultTokens(TokenizerClass tokenizer_class) {
  const auto named = [](const char* name, const char* text) {
    return NamedTokenDefault{name, {.text = text}};
  };
  std::vector<NamedTokenDefault> defaults = {named("eos_token", "</s>"),
                                             named("unk_token", "<unk>"),
                                             named("pad_token", "<pad>")};
  NamedTokenDefault mask = {"mask_token", {.text = "<mask>"}};
  mask.token.strips_space_before = true;
  switch (tokenizer_class) {
    case TokenizerClass::kWhisper: {
      const char* const end = "<|endoftext|>";
      return {named("eos_token", end), named("unk_token", end),
              named("bos_token", end)};
    }
    case TokenizerClass::kGemma:
      return {named("eos_token", "<eos>"), named("unk_token", "<unk>"),
              named("pad_token", "<pad>"), named("bos_token", "<bos>"),
              named("mask_token", "<mask>")};
    case TokenizerClass::kT5:
      return defaults;
    case TokenizerClass::kByT5:
      for (NamedTokenDefault& token : defaults) {
        token.token.strips_space_before = true;
        token.token.strips_space_after = true;
      }
      return defaults;
    case TokenizerClass::kPegasus:
      defaults.push_back(named("mask_token", "<mask_2>"));
      return defaults;
    case TokenizerClass::kM2m100:
    case TokenizerClass::kSmall100:
      defaults.push_back(named("bos_token", "<s>"));
      defaults.push_back(named("sep_token", "</s>"));
      return defaults;
    case TokenizerClass::kIndicTrans:
      defaults.push_back(named("bos_token", "<s>"));
      return defaults;
    case TokenizerClass::kMBart50:
      defaults.push_back(named("sep_token", "</s>"));
      defaults.push_back(named("cls_token", "<s>"));
      defaults.push_back(mask);
      return defaults;
    case TokenizerClass::kBart:
      mask.token.strips_space_before = false;
      [[fallthrough]];
    case TokenizerClass::kMBart:
    case TokenizerClass::kNllb:
      defaults.push_back(named("bos_token", "<s>"));
      defaults.push_back(named("sep_token", "</s>"));
      defaults.push_back(named("cls_token", "<s>"));
      defaults.push_back(mask);
      return defaults;
  }
  return defaults;
}

JsonFields TokenizerSettings(const fs::path& directory) {
  return OpenFields(directory / "tokenizer_config.json");
}

TokenizerClass TokenizerClassOf(const fs::path& directory) {
  const JsonFields config = OpenFields(directory / "config.json");
  const JsonFields settings = TokenizerSettings(directory);
  std::string name = settings.Text("tokenizer_class", "");
  if (name.empty()) name = config.Text("tokenizer_class", "");
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  const std::string type = config.Text("model_type", "");
  // It may be published under the name of the class that it derives from.
  if (type == "m2m_100" && FileExists(directory / "tokenization_small100.py")) {
    return TokenizerClass::kSmall100;
  }
  for (const KnownClass& known : kClasses) {
    if (name.empty() ? type == known.model_type : name == known.name) {
      return known.tokenizer_class;
    }
  }
  const bool has_name = !name.empty();
  FailIn(
      directory, "its ", has_name ? "tokenizer_class" : "model_type", " '",
      has_name ? name : type,
      "' has no tokenizer that Latimer knows; convert it with --no-tokenizer");
}

}  // namespace latimer
