// Signs a finished model file; latimer/signature.h has what a signature is.
#ifndef LATIMER_CONVERTER_SIGN_H_
#define LATIMER_CONVERTER_SIGN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace latimer {

// An Ed25519 key pair, wiped when it goes.
class SigningKey {
 public:
  // Of a file as `openssl genpkey -algorithm ed25519` writes it. Throws
  // ConversionError.
  explicit SigningKey(const std::filesystem::path& path);
  ~SigningKey();
  SigningKey(const SigningKey&) = delete;
  SigningKey& operator=(const SigningKey&) = delete;

  // Fills in the last kSignatureEndBytes of `file` with a signature of all
  // before them. The same file and key give the same bytes.
  void Sign(std::span<std::byte> file) const;

 private:
  std::array<uint8_t, 64> secret_;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_SIGN_H_
