// Signed models: whoever has the public key knows who made the file.
//
// A signed file ends with 80 bytes: kSignatureMark and an Ed25519 signature
// (RFC 8032, pure) of all bytes before the mark. Loading ignores them. The
// library latimer_signature has these functions; nothing of it is in a program
// that does not link it. In a build without libsodium both refuse, with
// kInvalidArgument.
//
//   const auto key = ParsePublicKey(kPem);
//   ... VerifySignature(image, *key), then Load(image) without the checksum.
#ifndef LATIMER_SIGNATURE_H_
#define LATIMER_SIGNATURE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/status.h"

namespace latimer {

inline constexpr std::string_view kSignatureMark = "LTMR Ed25519 sig";
inline constexpr size_t kSignatureBytes = 64;
// What a signature adds to a file.
inline constexpr size_t kSignatureEndBytes =
    kSignatureMark.size() + kSignatureBytes;

using PublicKey = std::array<uint8_t, 32>;

// The key of a text as `openssl pkey -pubout` writes it: PEM, "PUBLIC KEY".
// kInvalidArgument: it is none.
Result<PublicKey> ParsePublicKey(std::string_view pem);

// Whether `image`, a whole file and no byte more, is signed by the owner of the
// key. Allocates nothing; reads every byte once. What is done with an image
// that may change after this call is not covered: a mapped file may. kCorrupt:
// it is not signed, or by another, or was changed.
Status VerifySignature(std::span<const std::byte> image, const PublicKey& key);

}  // namespace latimer

#endif  // LATIMER_SIGNATURE_H_
