#include "converter/sign.h"

#include <cstring>
#include <fstream>

#include "base/check.h"
#include "converter/error.h"
#include "latimer/signature.h"
#include "signature/pem.h"
#include "sodium/crypto_sign_ed25519.h"
#include "sodium/utils.h"

namespace latimer {

SigningKey::SigningKey(const std::filesystem::path& path) {
  static_assert(sizeof(secret_) == crypto_sign_ed25519_SECRETKEYBYTES);
  std::ifstream file;
  file.rdbuf()->pubsetbuf(nullptr, 0);  // A buffer would not be wiped.
  file.open(path, std::ios::binary);
  if (!file) FailIn(path, "cannot open the key");
  char text[4096];
  file.read(text, sizeof(text));
  std::array<uint8_t, crypto_sign_ed25519_SEEDBYTES> seed;
  const bool good = ReadPemKey({text, static_cast<size_t>(file.gcount())},
                               PemKey::kPrivate, seed);
  sodium_memzero(text, sizeof(text));
  if (!good) {
    FailIn(path,
           "no unencrypted Ed25519 private key in PEM; make one with openssl "
           "genpkey -algorithm ed25519 -out KEY.pem");
  }
  uint8_t unused_public_key[crypto_sign_ed25519_PUBLICKEYBYTES];
  crypto_sign_ed25519_seed_keypair(unused_public_key, secret_.data(),
                                   seed.data());
  sodium_memzero(seed.data(), seed.size());
}

SigningKey::~SigningKey() { sodium_memzero(secret_.data(), secret_.size()); }

void SigningKey::Sign(std::span<std::byte> file) const {
  LATIMER_CHECK(file.size() > kSignatureEndBytes);
  auto* bytes = reinterpret_cast<unsigned char*>(file.data());
  const size_t end = file.size() - kSignatureEndBytes;
  std::memcpy(bytes + end, kSignatureMark.data(), kSignatureMark.size());
  crypto_sign_ed25519_detached(bytes + end + kSignatureMark.size(), nullptr,
                               bytes, end, secret_.data());
}

}  // namespace latimer
