#include "signature/pem.h"

#include <cstring>

namespace latimer {
namespace {

constexpr size_t kKeyBytes = 32;

// The DER bytes before the key's 32 bytes.
constexpr uint8_t kPublicPrefix[] = {0x30, 0x2A, 0x30, 0x05, 0x06, 0x03,
                                     0x2B, 0x65, 0x70, 0x03, 0x21, 0x00};
constexpr uint8_t kPrivatePrefix[] = {0x30, 0x2E, 0x02, 0x01, 0x00, 0x30,
                                      0x05, 0x06, 0x03, 0x2B, 0x65, 0x70,
                                      0x04, 0x22, 0x04, 0x20};
constexpr size_t kMostBytes = sizeof(kPrivatePrefix) + kKeyBytes;

// 0 to 63; -1 if it is not a digit of base 64.
int DigitOf(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

// Decodes base 64 with line breaks into `out`. Returns the number of bytes, or
// 0 if the text is not base 64 or does not fit.
size_t DecodeBase64(std::string_view text, std::span<uint8_t> out) {
  size_t bytes = 0, digits = 0, padding = 0;
  uint32_t bits = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
    ++digits;
    if (c == '=') {
      ++padding;
      continue;
    }
    const int digit = DigitOf(c);
    if (digit < 0 || padding > 0) return 0;
    bits = (bits << 6 | static_cast<uint32_t>(digit)) & 0xFFFFFF;
    if (digits % 4 == 1) continue;
    if (bytes == out.size()) return 0;
    const size_t left = 2 * (3 - (digits - 1) % 4);  // Bits for the next byte.
    out[bytes++] = static_cast<uint8_t>(bits >> left);
  }
  return digits % 4 == 0 && padding <= 2 ? bytes : 0;
}

// The text between two lines; empty if they are missing.
std::string_view Between(std::string_view text, std::string_view begin,
                         std::string_view end) {
  const size_t from = text.find(begin);
  if (from == text.npos) return {};
  text.remove_prefix(from + begin.size());
  const size_t bytes = text.find(end);
  return bytes == text.npos ? std::string_view() : text.substr(0, bytes);
}

}  // namespace

bool ReadPemKey(std::string_view pem, PemKey kind, std::span<uint8_t, 32> key) {
  const bool is_public = kind == PemKey::kPublic;
  const std::string_view text =
      is_public ? Between(pem, "-----BEGIN PUBLIC KEY-----",
                          "-----END PUBLIC KEY-----")
                : Between(pem, "-----BEGIN PRIVATE KEY-----",
                          "-----END PRIVATE KEY-----");
  const std::span<const uint8_t> prefix =
      is_public ? std::span<const uint8_t>(kPublicPrefix)
                : std::span<const uint8_t>(kPrivatePrefix);
  uint8_t bytes[kMostBytes];
  const bool good = DecodeBase64(text, bytes) == prefix.size() + kKeyBytes &&
                    std::memcmp(bytes, prefix.data(), prefix.size()) == 0;
  if (good) std::memcpy(key.data(), bytes + prefix.size(), kKeyBytes);
  // It may be a private key; volatile keeps the compiler from dropping this.
  volatile uint8_t* wiped = bytes;
  for (size_t i = 0; i < kMostBytes; ++i) wiped[i] = 0;
  return good;
}

}  // namespace latimer
