// Ed25519 keys in PEM, as openssl writes them (RFC 8410). Each kind has one
// fixed form, so no ASN.1 needs to be parsed.
#ifndef LATIMER_SIGNATURE_PEM_H_
#define LATIMER_SIGNATURE_PEM_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace latimer {

enum class PemKey : uint8_t {
  kPublic,   // "PUBLIC KEY": SubjectPublicKeyInfo.
  kPrivate,  // "PRIVATE KEY": PKCS #8, unencrypted; the key is RFC 8032's seed.
};

// Whether `pem` contains a key of this kind, which is then copied to `key`.
// Text around it is ignored.
bool ReadPemKey(std::string_view pem, PemKey kind, std::span<uint8_t, 32> key);

}  // namespace latimer

#endif  // LATIMER_SIGNATURE_PEM_H_
