// For builds without libsodium: every signature is refused.

#include "latimer/signature.h"

namespace latimer {
namespace {

Status LeftOut() {
  return Status::Error(
      StatusCode::kInvalidArgument,
      "This build cannot check signatures because it has no libsodium; build "
      "with -DLATIMER_SIGNATURES=ON and, if CMake cannot get libsodium, with "
      "-DFETCHCONTENT_SOURCE_DIR_SODIUM=FOLDER of its unpacked sources.");
}

}  // namespace

Result<PublicKey> ParsePublicKey(std::string_view) { return LeftOut(); }

Status VerifySignature(std::span<const std::byte>, const PublicKey&) {
  return LeftOut();
}

}  // namespace latimer
