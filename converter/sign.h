// Signs a finished model file; latimer/signature.h describes signatures.
#ifndef LATIMER_CONVERTER_SIGN_H_
#define LATIMER_CONVERTER_SIGN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace latimer {

// An Ed25519 key pair, wiped from memory on destruction.
class SigningKey {
 public:
  // Reads a file as `openssl genpkey -algorithm ed25519` writes it. Throws
  // ConversionError.
  explicit SigningKey(const std::filesystem::path& path);
  ~SigningKey();
  SigningKey(const SigningKey&) = delete;
  SigningKey& operator=(const SigningKey&) = delete;

  // Writes a signature of everything before it into the last
  // kSignatureEndBytes of `file`. The same file and key give the same bytes.
  void Sign(std::span<std::byte> file) const;

 private:
  std::array<uint8_t, 64> secret_;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_SIGN_H_
