// Signed models: the owner of the public key can check who made a file.
//
// A signed file ends with 80 bytes, which loading ignores: kSignatureMark and
// an Ed25519 signature (RFC 8032, pure) of all bytes before the mark. These
// functions are in a library of their own, latimer_signature. In a build
// without libsodium both return kInvalidArgument.
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

// What is before a signature, and the size of one.
inline constexpr std::string_view kSignatureMark = "LTMR Ed25519 sig";
inline constexpr size_t kSignatureBytes = 64;
// The bytes that a signature adds to a file.
inline constexpr size_t kSignatureEndBytes =
    kSignatureMark.size() + kSignatureBytes;

// Of Ed25519.
using PublicKey = std::array<uint8_t, 32>;

// Parses a public key in PEM ("PUBLIC KEY"), as `openssl pkey -pubout` writes
// it. kInvalidArgument for any other text.
Result<PublicKey> ParsePublicKey(std::string_view pem);

// Checks that the owner of the key has signed `image`, which is exactly the
// whole file. Allocates nothing; reads every byte once. Does not protect
// against later changes, which a mapped file may undergo. kCorrupt if the file
// is not signed, is signed with another key, or was changed.
Status VerifySignature(std::span<const std::byte> image, const PublicKey& key);

}  // namespace latimer

#endif  // LATIMER_SIGNATURE_H_
