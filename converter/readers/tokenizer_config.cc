#include "converter/readers/tokenizer_config.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "converter/error.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/text_file.h"

namespace latimer {
namespace {

using Json = nlohmann::json;

// transformers' SPECIAL_TOKENS_ATTRIBUTES: tokens are added in this order.
constexpr std::array<const char*, 7> kNamedTokens = {
    "bos_token", "eos_token", "unk_token", "sep_token",
    "pad_token", "cls_token", "mask_token"};

// The JSON object in a file; empty if there is no such file.
Json ReadObject(const std::filesystem::path& path) {
  if (!FileExists(path)) return Json::object();
  Json object = ParseJsonText(ReadTextFile(path));
  if (!object.is_object()) FailIn(path, "not a JSON object");
  return object;
}

class ConfigReader {
 public:
  ConfigReader(const std::filesystem::path& directory,
               std::span<const NamedTokenDefault> defaults,
               const Json& added_tokens)
      : defaults_(defaults) {
    const std::filesystem::path path = directory / "tokenizer_config.json";
    config_.name = path.string();
    settings_ = ReadObject(path);
    const char* const old_name = "additional_special_tokens";
    if (settings_.contains(old_name)) {
      if (Find("extra_special_tokens") == nullptr) {
        settings_["extra_special_tokens"] = settings_[old_name];
      }
      settings_.erase(old_name);
    }
    if (const Json* tokens = Find("added_tokens_decoder")) {
      for (const auto& [id, token] : tokens->items()) {
        AddDeclared(token, IdOf(id));
      }
    } else {
      const Json map = ReadObject(directory / "special_tokens_map.json");
      for (const auto& [key, value] : map.items()) settings_[key] = value;
      for (const Json& token : added_tokens) {
        AddDeclared(token,
                    token.is_object() ? token.value("id", Json()) : token);
      }
      const Json added = ReadObject(directory / "added_tokens.json");
      for (const auto& [text, id] : added.items()) AddDeclared(text, id);
    }
  }

  TokenizerConfig Read() {
    config_.separate_vocabularies = Flag("separate_vocabs");
    config_.clean_up_spaces = Flag("clean_up_tokenization_spaces");
    if (Flag("split_special_tokens")) {
      FailIn(config_.name, "split_special_tokens is not supported");
    }
    for (const char* name : kNamedTokens) AddNamed(name);
    for (const auto& [key, value] : settings_.items()) {
      const bool named = std::ranges::count(kNamedTokens, key) > 0;
      if (!named && key.ends_with("_token") &&
          (value.is_string() || value.is_object())) {
        AddSpecial(value);
      }
    }
    if (const Json* list = Find("additional_special_tokens")) {
      for (const Json& token : *list)
        config_.additional.push_back(Parse(token));
    }
    config_.names_extra_tokens = settings_.contains("extra_special_tokens");
    if (const Json* extra = Find("extra_special_tokens")) {
      config_.lists_extra_tokens = true;
      for (const Json& token : *extra) AddSpecial(token);
    }
    return std::move(config_);
  }

 private:
  // The setting, unless it is absent or null.
  const Json* Find(const char* key) const {
    const auto found = settings_.find(key);
    return found == settings_.end() || found->is_null() ? nullptr : &*found;
  }

  bool Flag(const char* key) const {
    const Json* flag = Find(key);
    if (flag == nullptr) return false;
    if (!flag->is_boolean()) FailIn(config_.name, key, " is not true or false");
    return flag->get<bool>();
  }

  int32_t IdOf(const std::string& digits) const {
    if (digits.empty() || digits.size() > 9 ||
        digits.find_first_not_of("0123456789") != digits.npos) {
      FailIn(config_.name, "added token id '", digits, "' is not a number");
    }
    return std::stoi(digits);
  }

  AddedTokenConfig Parse(const Json& json) const {
    AddedTokenConfig token;
    if (json.is_string()) {
      token.text = json.get<std::string>();
      return token;
    }
    if (!json.is_object() || !json.contains("content") ||
        !json["content"].is_string()) {
      FailIn(config_.name, "a special token is neither text nor has content");
    }
    token.text = json["content"].get<std::string>();
    const auto flag = [&json](const char* key) {
      return json.contains(key) && json[key] == true;
    };
    token.strips_space_before = flag("lstrip");
    token.strips_space_after = flag("rstrip");
    token.declared_special = flag("special");
    if (flag("single_word")) {
      FailIn(config_.name, "token '", token.text,
             "' is single_word, which is not supported");
    }
    return token;
  }

  // Returns the token with this text, after adding it if necessary.
  AddedTokenConfig& Add(AddedTokenConfig token) {
    if (token.text.empty()) FailIn(config_.name, "a special token is empty");
    const auto [place, is_new] =
        places_.emplace(token.text, config_.tokens.size());
    if (is_new) config_.tokens.push_back(std::move(token));
    return config_.tokens[place->second];
  }

  void AddDeclared(const Json& token, const Json& id) {
    if (!id.is_number_integer()) {
      FailIn(config_.name, "an added token has no id");
    }
    // Larger ones are unsigned to the parser.
    const auto value = id.get<int64_t>();
    if (value < 0 || value > INT32_MAX) {
      FailIn(config_.name, "added token id ", id.dump(),
             " is not within 0 and 2147483647");
    }
    Add(Parse(token)).id = static_cast<int32_t>(value);
  }

  void AddSpecial(const Json& token) { Add(Parse(token)).special = true; }

  const NamedTokenDefault* DefaultOf(const char* name) const {
    for (const NamedTokenDefault& token : defaults_) {
      if (std::string_view(token.name) == name) return &token;
    }
    return nullptr;
  }

  // Plain text inherits the default's treatment of white space.
  AddedTokenConfig NamedToken(const Json* value,
                              const NamedTokenDefault* fallback) const {
    if (value == nullptr) return fallback->token;
    AddedTokenConfig token = Parse(*value);
    if (value->is_string() && fallback != nullptr) {
      token.strips_space_before = fallback->token.strips_space_before;
      token.strips_space_after = fallback->token.strips_space_after;
    }
    return token;
  }

  void AddNamed(const char* name) {
    std::string* slot = nullptr;
    if (std::string_view(name) == "eos_token") slot = &config_.eos;
    if (std::string_view(name) == "unk_token") slot = &config_.unknown;
    if (std::string_view(name) == "pad_token") slot = &config_.pad;
    const Json* value = Find(name);
    const NamedTokenDefault* fallback = DefaultOf(name);
    if (value == nullptr && fallback == nullptr) return;
    const AddedTokenConfig token = NamedToken(value, fallback);
    config_.named[name] = token.text;
    if (slot != nullptr) *slot = token.text;
    Add(token).special = true;
  }

  std::span<const NamedTokenDefault> defaults_;
  TokenizerConfig config_;
  std::unordered_map<std::string, size_t> places_;  // in config_.tokens
  Json settings_;
};

}  // namespace

TokenizerConfig ReadTokenizerConfig(const std::filesystem::path& directory) {
  static const NamedTokenDefault kMarian[] = {{"eos_token", {.text = "</s>"}},
                                              {"unk_token", {.text = "<unk>"}},
                                              {"pad_token", {.text = "<pad>"}}};
  return ReadTokenizerConfig(directory, kMarian, Json::array());
}

TokenizerConfig ReadTokenizerConfig(const std::filesystem::path& directory,
                                    std::span<const NamedTokenDefault> defaults,
                                    const Json& added_tokens) {
  return ConfigReader(directory, defaults, added_tokens).Read();
}

}  // namespace latimer
