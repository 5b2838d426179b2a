// From target token ids to text, as others join pieces. Stripped of white space
// at the ends: transformers 5.23's MarianTokenizer.convert_tokens_to_string on
// sentencepiece 0.2.3's Decode; Python's " ".join() for words and "".join() for
// characters. Not stripped: the decoders Metaspace and ByteLevel of Hugging
// Face's tokenizers, and ByT5Tokenizer.

#include <algorithm>
#include <array>
#include <cstring>

#include "latimer/profile_config.h"
#include "text/byte_piece.h"
#include "text/byte_text.h"
#include "text/slice.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Appends to a fixed buffer, with `strips` without white space at the ends of
// the text. Joins the bytes of byte pieces into characters.
class TextWriter {
 public:
  TextWriter(std::span<char> out, bool strips) : out_(out), strips_(strips) {}

  void Write(std::string_view text) {
    if (strips_ && size_ == 0) text.remove_prefix(LeadingSpaceBytes(text));
    if (text.size() > out_.size() - size_) {
      full_ = true;
      return;
    }
    std::copy(text.begin(), text.end(), out_.begin() + size_);
    size_ += text.size();
  }

  // Writes `text` with `space` in the place of U+2581.
  void WriteUnescaped(std::string_view text, std::string_view space = " ") {
    while (true) {
      const size_t at = text.find(kEscapedSpace);
      Write(First(text, at));
      if (at == text.npos) return;
      Write(space);
      text.remove_prefix(at + kEscapedSpace.size());
    }
  }

  void WriteByte(char byte) {
    bytes_[byte_count_++] = byte;
    if (byte_count_ == bytes_.size()) WriteFirstOfBytes();
  }

  // Ends a run of byte pieces. Each byte that belongs to no character becomes
  // U+FFFD.
  void EndBytes() {
    while (byte_count_ > 0) WriteFirstOfBytes();
  }

  // Ends the text and returns its size.
  size_t Finish() {
    EndBytes();
    if (strips_) size_ -= TrailingSpaceBytes({out_.data(), size_});
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
      WriteUnescaped(First(bytes, valid));
    }
    const size_t used = std::max<size_t>(valid, 1);
    byte_count_ -= used;
    std::memmove(bytes_.data(), bytes_.data() + used, byte_count_);
  }

  std::span<char> out_;
  bool strips_;
  size_t size_ = 0;
  bool full_ = false;
  std::array<char, 4> bytes_ = {};  // A character that is not complete yet.
  size_t byte_count_ = 0;
};

// Removes the first space of every `from` in the text, and both spaces of " '
// ". Returns the new size.
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

Status CheckIds(const TokenizerView& view, std::span<const int32_t> ids) {
  for (const int32_t id : ids) {
    if (id < 0 || static_cast<size_t>(id) >= view.target_kinds.size()) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "Token id %d is outside the target vocabulary of "
                           "%zu tokens.",
                           static_cast<int>(id), view.target_kinds.size());
    }
  }
  return Status();
}

std::string_view PieceOf(const TokenizerView& view, int32_t id) {
  const size_t begin = view.piece_offsets[id];
  const size_t end = view.piece_offsets[static_cast<size_t>(id) + 1];
  return {reinterpret_cast<const char*>(view.piece_text.data()) + begin,
          end - begin};
}

// Ends the text and returns its size.
template <typename Writer>
Result<size_t> Finish(const TokenizerView& view, std::span<const int32_t> ids,
                      Writer& writer, std::span<char> out) {
  const size_t size = writer.Finish();
  if (writer.full()) {
    return Status::Error(StatusCode::kTextTooLong,
                         "The text of %zu tokens exceeds the buffer of %zu "
                         "bytes.",
                         ids.size(), out.size());
  }
  return view.clean_up_spaces ? CleanUpSpaces(out.first(size)) : size;
}

// For pieces that are bytes.
Result<size_t> JoinBytes(const TokenizerView& view,
                         std::span<const int32_t> ids, std::span<char> out) {
  ByteTextWriter writer(out, view.joining == Joining::kBytes
                                 ? std::string_view()
                                 : kReplacementCharacter);
  for (const int32_t id : ids) {
    if (view.target_kinds[static_cast<size_t>(id)] == TargetKind::kSpecial) {
      continue;
    }
    writer.Write(PieceOf(view, id));
  }
  return Finish(view, ids, writer, out);
}

}  // namespace

std::string_view Tokenizer::Piece(int32_t id) const {
  const bool exists =
      id >= 0 && static_cast<size_t>(id) < view_.target_kinds.size();
  return exists ? PieceOf(view_, id) : std::string_view();
}

Result<size_t> Tokenizer::Decode(std::span<const int32_t> ids,
                                 std::span<char> out) const {
  const TokenizerView& view = view_;
  LATIMER_RETURN_IF_ERROR(CheckIds(view, ids));
  if ((kProfile.byte_bpe && view.joining == Joining::kByteLevel) ||
      (kProfile.bytes && view.joining == Joining::kBytes)) {
    return JoinBytes(view, ids, out);
  }
  const bool metaspace =
      kProfile.metaspace && view.joining == Joining::kMetaspace;
  const bool words = kProfile.words && (view.joining == Joining::kWords ||
                                        view.joining == Joining::kCharacters);
  TextWriter writer(out, !metaspace);
  bool is_first = true;
  for (const int32_t id : ids) {
    const std::string_view piece = PieceOf(view, id);
    switch (view.target_kinds[static_cast<size_t>(id)]) {
      case TargetKind::kText:
        writer.EndBytes();
        if (words) {
          if (view.joining == Joining::kWords && !is_first) writer.Write(" ");
          writer.Write(piece);
        } else {
          writer.WriteUnescaped(piece, metaspace && is_first ? "" : " ");
        }
        is_first = false;
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
  return Finish(view, ids, writer, out);
}

}  // namespace latimer
