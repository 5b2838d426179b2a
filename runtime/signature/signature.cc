#include "latimer/signature.h"

#include <cstring>

#include "signature/pem.h"
#include "sodium/crypto_sign_ed25519.h"

namespace latimer {

static_assert(kSignatureBytes == crypto_sign_ed25519_BYTES);
static_assert(sizeof(PublicKey) == crypto_sign_ed25519_PUBLICKEYBYTES);

Result<PublicKey> ParsePublicKey(std::string_view pem) {
  PublicKey key;
  if (ReadPemKey(pem, PemKey::kPublic, key)) return key;
  return Status::Error(
      StatusCode::kInvalidArgument,
      pem.find("PRIVATE KEY-----") != pem.npos
          ? "This is a private key, which must stay where models are signed; "
            "give the public key that openssl pkey -pubout writes."
          : "This is not an Ed25519 public key in PEM; give one that openssl "
            "pkey -pubout writes.");
}

Status VerifySignature(std::span<const std::byte> image, const PublicKey& key) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(image.data());
  const size_t mark = image.size() - kSignatureEndBytes;
  if (image.size() < kSignatureEndBytes ||
      std::memcmp(bytes + mark, kSignatureMark.data(), kSignatureMark.size()) !=
          0) {
    return Status::Error(StatusCode::kCorrupt,
                         "The model is not signed (latimer-convert --sign "
                         "does that), or other bytes follow its signature; "
                         "SignedBytes leaves these out.");
  }
  if (crypto_sign_ed25519_verify_detached(bytes + mark + kSignatureMark.size(),
                                          bytes, mark, key.data()) != 0) {
    return Status::Error(StatusCode::kCorrupt,
                         "The model's signature is not of this key: the file "
                         "was changed after signing, or signed by somebody "
                         "else; get it again from a source that you trust.");
  }
  return Status();
}

}  // namespace latimer
