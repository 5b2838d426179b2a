// Must not compile: use of deleted function|call to deleted constructor
#include "latimer/hosted_model.h"

std::span<const std::byte> BytesOf(latimer::MappedFile& file) {
#ifdef LATIMER_MISUSE
  static latimer::MappedFile copy = file;
  return copy.bytes();
#else
  return file.bytes();
#endif
}
