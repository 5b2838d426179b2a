#include "text/byte_text.h"

#include <algorithm>

#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Whether a character can begin with these bytes, which are at most 4.
bool CanBegin(std::string_view bytes) {
  const auto byte = [bytes](size_t i) {
    return static_cast<unsigned char>(bytes[i]);
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return bytes.size() == 1;
  if (lead < 0xC2 || lead > 0xF4 || bytes.size() > AnnouncedBytes(bytes[0])) {
    return false;
  }
  for (size_t i = 1; i < bytes.size(); ++i) {
    if ((byte(i) & 0xC0) != 0x80) return false;
  }
  if (bytes.size() == 1) return true;
  // No overlong forms, surrogates or values above U+10FFFF.
  const unsigned second = byte(1);
  return !(lead == 0xE0 && second < 0xA0) && !(lead == 0xED && second > 0x9F) &&
         !(lead == 0xF0 && second < 0x90) && !(lead == 0xF4 && second > 0x8F);
}

}  // namespace

void ByteTextWriter::Append(std::string_view text) {
  if (text.size() > out_.size() - size_) {
    full_ = true;
    return;
  }
  std::copy(text.begin(), text.end(), out_.begin() + size_);
  size_ += text.size();
}

void ByteTextWriter::Write(std::string_view bytes) {
  for (const char byte : bytes) {
    open_[open_bytes_] = byte;
    if (!CanBegin({open_.data(), open_bytes_ + 1})) {
      // The byte does not continue the open character.
      if (open_bytes_ > 0) Append(replacement_);
      open_[0] = byte;
      open_bytes_ = 0;
      if (!CanBegin({open_.data(), 1})) {
        Append(replacement_);
        continue;
      }
    }
    ++open_bytes_;
    const std::string_view open(open_.data(), open_bytes_);
    if (open_bytes_ == AnnouncedBytes(open_[0])) {
      Append(open);
      open_bytes_ = 0;
    }
  }
}

size_t ByteTextWriter::Finish() {
  if (open_bytes_ > 0) Append(replacement_);
  open_bytes_ = 0;
  return size_;
}

}  // namespace latimer
