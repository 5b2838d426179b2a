#include "converter/readers/open_model.h"

#include "converter/readers/huggingface_bart.h"
#include "converter/readers/native_marian.h"
#include "converter/readers/native_marian_files.h"

namespace latimer {

CanonicalModel OpenModel(const std::filesystem::path& path,
                         bool with_tokenizer) {
  if (!std::filesystem::exists(path / "config.json") && IsNativeMarian(path)) {
    return ReadNativeMarian(path, with_tokenizer);
  }
  return ReadHuggingFaceBart(path, with_tokenizer);
}

}  // namespace latimer
