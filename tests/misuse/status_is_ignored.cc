// Must not compile: nodiscard|unused-result
#include "latimer/translator.h"

bool Load(latimer::Translator& translator, std::span<const std::byte> image,
          latimer::Workspace* workspace) {
#ifdef LATIMER_MISUSE
  translator.Load(image, workspace);
  return true;
#else
  return translator.Load(image, workspace).ok();
#endif
}
