// For builds without libsodium.

#include "base/check.h"
#include "converter/error.h"
#include "converter/sign.h"

namespace latimer {

SigningKey::SigningKey(const std::filesystem::path&) : secret_() {
  FailWith(
      "--sign: this build cannot sign, since it has no libsodium; build with "
      "-DLATIMER_SIGNATURES=ON, and, where CMake says that it cannot get it, "
      "with -DFETCHCONTENT_SOURCE_DIR_SODIUM=FOLDER of its unpacked sources.");
}

SigningKey::~SigningKey() { secret_.fill(0); }

void SigningKey::Sign(std::span<std::byte>) const {
  LATIMER_CHECK(false);  // There is no such key.
}

}  // namespace latimer
