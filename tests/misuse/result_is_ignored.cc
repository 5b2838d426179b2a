// Must not compile: nodiscard|unused-result
#include "latimer/translator.h"

bool Translate(latimer::Translator& translator) {
#ifdef LATIMER_MISUSE
  translator.Translate("How are you?");
  return true;
#else
  return translator.Translate("How are you?").ok();
#endif
}
