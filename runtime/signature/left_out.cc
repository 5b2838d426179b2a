// For builds without libsodium: nothing is taken for signed.

#include "latimer/signature.h"

namespace latimer {
namespace {

Status LeftOut() {
  return Status::Error(
      StatusCode::kInvalidArgument,
      "This build cannot check signatures, since it has no libsodium; build "
      "with -DLATIMER_SIGNATURES=ON, and, where CMake says that it cannot get "
      "it, with -DFETCHCONTENT_SOURCE_DIR_SODIUM=FOLDER of its unpacked "
      "sources.");
}

}  // namespace

Result<PublicKey> ParsePublicKey(std::string_view) { return LeftOut(); }

Status VerifySignature(std::span<const std::byte>, const PublicKey&) {
  return LeftOut();
}

}  // namespace latimer
