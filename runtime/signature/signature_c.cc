// The C API on top of the C++ one: signatures.

#include <algorithm>
#include <cstring>

#include "latimer/latimer.h"
#include "latimer/signature.h"

namespace latimer {
namespace {

Status Verify(std::span<const std::byte> image, const char* public_key) {
  if (public_key == nullptr) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "The public key is NULL.");
  }
  const Result<PublicKey> key = ParsePublicKey(public_key);
  if (!key.ok()) return key.status();
  const Result<std::span<const std::byte>> file = SignedBytes(image);
  return file.ok() ? VerifySignature(*file, *key) : file.status();
}

}  // namespace
}  // namespace latimer

latimer_code latimer_verify_signature(const void* image, size_t image_bytes,
                                      const char* public_key, char* message,
                                      size_t message_bytes) {
  const latimer::Status status = latimer::Verify(
      {static_cast<const std::byte*>(image), image_bytes}, public_key);
  if (message != nullptr && message_bytes > 0) {
    const size_t kept =
        std::min(std::strlen(status.message()), message_bytes - 1);
    std::memcpy(message, status.message(), kept);
    message[kept] = '\0';
  }
  return static_cast<latimer_code>(status.code());
}
