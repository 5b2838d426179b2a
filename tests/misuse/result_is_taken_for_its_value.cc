// Must not compile: cannot convert|no viable conversion|conversion from
#include "latimer/translator.h"

size_t Length(latimer::Translator& translator) {
#ifdef LATIMER_MISUSE
  latimer::Translation translation = translator.Translate("How are you?");
  return translation.text.size();
#else
  const latimer::Result<latimer::Translation> translation =
      translator.Translate("How are you?");
  return translation.ok() ? translation->text.size() : 0;
#endif
}
