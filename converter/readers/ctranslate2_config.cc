#include "converter/readers/ctranslate2_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "converter/error.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/whisper.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

// Before version 6.
CTranslate2Config ConfigOfTexts(const CTranslate2File& file) {
  CTranslate2Config config;
  const auto text = [&](const char* name, std::string* out) {
    const auto found = file.tensors.texts.find(name);
    if (found != file.tensors.texts.end()) *out = found->second;
  };
  text("unk_token", &config.unknown);
  text("bos_token", &config.bos);
  text("eos_token", &config.eos);
  const auto flag = [&](const char* name, bool fallback) {
    const auto found = file.numbers.find(name);
    return found == file.numbers.end() ? fallback : found->second.value != 0;
  };
  config.adds_bos = flag("with_source_bos", false);
  config.adds_eos = flag("with_source_eos", false);
  if (!flag("user_decoder_start_tokens", false)) {
    config.start = flag("with_target_bos", true) ? config.bos : config.eos;
  }
  return config;
}

CTranslate2Config ConfigOfJson(const fs::path& folder,
                               std::vector<std::string>* warnings) {
  const auto json = JsonFields::Open(folder / "config.json");
  if (!json) {
    FailIn(folder / "config.json",
           "cannot open the file; copy all files that CTranslate2 wrote");
  }
  constexpr std::string_view kFields[] = {
      "add_source_bos", "add_source_eos", "bos_token", "decoder_start_token",
      "eos_token", "layer_norm_epsilon", "unk_token", "multi_query_attention",
      "suppress_ids", "suppress_ids_begin", "alignment_heads",
      // Whisper's, which Latimer finds by its tokenizer.
      "lang_ids"};
  for (const auto& [name, value] : json->json().items()) {
    if (std::ranges::find(kFields, name) == std::end(kFields) &&
        !value.is_null()) {
      warnings->push_back(Concat(json->path(), ": field ", name,
                                 " is unknown and has no effect."));
    }
  }
  CTranslate2Config config;
  config.unknown = json->Text("unk_token", config.unknown);
  config.bos = json->Text("bos_token", config.bos);
  config.eos = json->Text("eos_token", config.eos);
  if (json->Has("decoder_start_token")) {
    config.start = json->Text("decoder_start_token", "");
  }
  config.adds_bos = json->Bool("add_source_bos", false);
  config.adds_eos = json->Bool("add_source_eos", false);
  config.suppressed = json->Tokens("suppress_ids", INT32_MAX);
  config.suppressed_first = json->Tokens("suppress_ids_begin", INT32_MAX);
  config.alignment_heads = ReadAlignmentHeads(*json);
  if (const nlohmann::json* value = json->Find("layer_norm_epsilon")) {
    const float epsilon = value->is_number() ? value->get<float>() : 0.0f;
    if (!(epsilon > 0.0f) || !std::isfinite(epsilon)) {
      json->Fail("layer_norm_epsilon", "it must be a number above 0");
    }
    config.norm_epsilon = epsilon;
  }
  return config;
}

}  // namespace

CTranslate2Config ReadCTranslate2Config(const fs::path& folder,
                                        const CTranslate2File& file,
                                        std::vector<std::string>* warnings) {
  constexpr uint32_t kFirstWithJson = 6;
  CTranslate2Config config = file.version < kFirstWithJson
                                 ? ConfigOfTexts(file)
                                 : ConfigOfJson(folder, warnings);
  const auto from_zero = file.numbers.find("decoder/start_from_zero_embedding");
  config.starts_from_zero =
      from_zero != file.numbers.end() && from_zero->second.value != 0;
  return config;
}

}  // namespace latimer
