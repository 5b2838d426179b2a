#include "converter/readers/open_model.h"

#include "converter/readers/huggingface_bart.h"
#include "converter/readers/huggingface_t5.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/native_marian.h"
#include "converter/readers/native_marian_files.h"

namespace latimer {

CanonicalModel OpenModel(const std::filesystem::path& path, bool with_tokenizer,
                         const PositionLimits& limits) {
  if (!std::filesystem::exists(path / "config.json") && IsNativeMarian(path)) {
    return ReadNativeMarian(path, with_tokenizer);
  }
  const auto config = JsonFields::Open(path / "config.json");
  const std::string type = config ? config->Text("model_type", "") : "";
  if (type == "t5" || type == "mt5" || type == "umt5") {
    return ReadHuggingFaceT5(path, with_tokenizer, limits);
  }
  return ReadHuggingFaceBart(path, with_tokenizer);
}

}  // namespace latimer
