#include "text/detokenize.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "latimer/profile_config.h"
#include "text/byte_piece.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

constexpr std::string_view kEscapedSpace = "\xE2\x96\x81";

// Appends to a fixed buffer, without white space at its beginning; joins the
// bytes of byte pieces to characters.
class TextWriter {
 public:
  explicit TextWriter(std::span<char> out) : out_(out) {}

  void Write(std::string_view text) {
    if (size_ == 0) text.remove_prefix(LeadingSpaceBytes(text));
    if (text.size() > out_.size() - size_) {
      full_ = true;
      return;
    }
    std::copy(text.begin(), text.end(), out_.begin() + size_);
    size_ += text.size();
  }

  // Writes `text` with U+2581 as a space.
  void WriteUnescaped(std::string_view text) {
    while (true) {
      const size_t at = text.find(kEscapedSpace);
      Write(text.substr(0, at));
      if (at == text.npos) return;
      Write(" ");
      text.remove_prefix(at + kEscapedSpace.size());
    }
  }

  void WriteByte(char byte) {
    bytes_[byte_count_++] = byte;
    if (byte_count_ == bytes_.size()) WriteFirstOfBytes();
  }

  // Ends a run of byte pieces: what is no character becomes U+FFFD, byte by
  // byte.
  void EndBytes() {
    while (byte_count_ > 0) WriteFirstOfBytes();
  }

  // Removes white space at the end and returns the size.
  size_t Finish() {
    EndBytes();
    size_ -= TrailingSpaceBytes({out_.data(), size_});
    return size_;
  }

  bool full() const { return full_; }

 private:
  void WriteFirstOfBytes() {
    const std::string_view bytes(bytes_.data(), byte_count_);
    const size_t valid = FirstChar(bytes).bytes;
    if (valid == 0) {
      Write(kReplacementCharacter);
    } else {
      WriteUnescaped(bytes.substr(0, valid));
    }
    const size_t used = std::max<size_t>(valid, 1);
    byte_count_ -= used;
    std::memmove(bytes_.data(), bytes_.data() + used, byte_count_);
  }

  std::span<char> out_;
  size_t size_ = 0;
  bool full_ = false;
  std::array<char, 4> bytes_ = {};  // A character that is not complete yet.
  size_t byte_count_ = 0;
};

// Replaces every `from` in the text by the same without its first space, and
// for " ' " without both. Returns the new size.
size_t RemoveSpaces(std::span<char> text, std::string_view from) {
  const std::string_view all(text.data(), text.size());
  const std::string_view to =
      from == " ' " ? std::string_view("'") : From(from, 1);
  size_t read = 0;
  size_t write = 0;
  while (read < text.size()) {
    if (From(all, read).starts_with(from)) {
      std::copy(to.begin(), to.end(), text.begin() + write);
      write += to.size();
      read += from.size();
    } else {
      text[write++] = text[read++];
    }
  }
  return write;
}

// transformers' PreTrainedTokenizerBase.clean_up_tokenization.
size_t CleanUpSpaces(std::span<char> text) {
  constexpr std::string_view kPatterns[] = {
      " .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're"};
  size_t size = text.size();
  for (const std::string_view pattern : kPatterns) {
    size = RemoveSpaces(text.first(size), pattern);
  }
  return size;
}

}  // namespace

std::string_view PieceOf(const TokenizerView& view, int32_t id) {
  if (id < 0 || static_cast<size_t>(id) >= view.target_kinds.size()) return {};
  const size_t begin = view.piece_offsets[id];
  const size_t end = view.piece_offsets[static_cast<size_t>(id) + 1];
  return {reinterpret_cast<const char*>(view.piece_text.data()) + begin,
          end - begin};
}

Result<size_t> Detokenize(const TokenizerView& view,
                          std::span<const int32_t> ids, std::span<char> out) {
  TextWriter writer(out);
  bool has_text = false;
  for (const int32_t id : ids) {
    if (id < 0 || static_cast<size_t>(id) >= view.target_kinds.size()) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "Token id %d is outside the target vocabulary of "
                           "%zu tokens.",
                           static_cast<int>(id), view.target_kinds.size());
    }
    const std::string_view piece = PieceOf(view, id);
    switch (view.target_kinds[static_cast<size_t>(id)]) {
      case TargetKind::kText:
        writer.EndBytes();
        if (kProfile.words && view.joining != Joining::kSentencePiece) {
          if (view.joining == Joining::kWords && has_text) writer.Write(" ");
          writer.Write(piece);
          has_text = true;
        } else {
          writer.WriteUnescaped(piece);
        }
        break;
      case TargetKind::kSpecial:
        break;
      case TargetKind::kControl:
        writer.EndBytes();
        break;
      case TargetKind::kUnknown:
        writer.EndBytes();
        writer.WriteUnescaped(view.unknown_surface);
        break;
      case TargetKind::kByte:
        writer.WriteByte(static_cast<char>(ByteOfPiece(piece)));
        break;
    }
  }
  const size_t size = writer.Finish();
  if (writer.full()) {
    return Status::Error(StatusCode::kTextTooLong,
                         "The text of %zu tokens is longer than the buffer of "
                         "%zu bytes.",
                         ids.size(), out.size());
  }
  return view.clean_up_spaces ? CleanUpSpaces(out.first(size)) : size;
}

}  // namespace latimer
