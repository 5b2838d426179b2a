// Must not compile: no matching (member )?function
#include <string>

#include "latimer/translator.h"

bool Load(latimer::Translator& translator, const std::string& image,
          latimer::Workspace* workspace) {
#ifdef LATIMER_MISUSE
  return translator.Load(image, workspace).ok();
#else
  return translator.Load(std::as_bytes(std::span(image)), workspace).ok();
#endif
}
