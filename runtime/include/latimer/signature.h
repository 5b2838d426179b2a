// Signed models: the owner of the public key can check who made a file.
//
// A signed file ends with 80 bytes, which loading ignores: kSignatureMark and
// an Ed25519 signature (RFC 8032, pure) of all bytes before the mark. What uses
// a key is in a library of its own, latimer_signature; in a build without
// libsodium it returns kInvalidArgument.
//
//   const auto key = ParsePublicKey(kPem);
//   const auto file = SignedBytes(partition);
//   ... VerifySignature(*file, *key), then Load(*file) without the checksum.
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

// The signed file that `image` begins with: the bytes that the model says it
// has, and those of the signature. What follows is left out, such as the rest
// of a flash partition, erased (0xFF) or not. Reads no more than the file's
// root and the mark, so the file may be damaged. Errors: kInvalidArgument
// (image not aligned to 64), kNotAModel, kTruncated, kUnsupportedVersion, and
// kCorrupt (the root is unreadable, or the model is not signed).
Result<std::span<const std::byte>> SignedBytes(
    std::span<const std::byte> image);

// Checks that the owner of the key has signed `image`, which is exactly the
// whole file; see SignedBytes. Allocates nothing; reads every byte once. Does
// not protect against later changes, which a mapped file may undergo. kCorrupt
// if the bytes do not end with a signature, or with that of another key, or
// were changed.
Status VerifySignature(std::span<const std::byte> image, const PublicKey& key);

}  // namespace latimer

#endif  // LATIMER_SIGNATURE_H_
