// Must not compile: use of deleted function|call to deleted constructor
#include "latimer/translator.h"

latimer::Translator& Same(latimer::Translator& translator) {
#ifdef LATIMER_MISUSE
  static latimer::Translator copy = translator;
  return copy;
#else
  return translator;
#endif
}
