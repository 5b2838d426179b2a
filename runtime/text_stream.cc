#include "latimer/text_stream.h"

#include <cstring>

namespace latimer {

TextStream::TextStream(Translator& translator, const TranslateOptions& options,
                       Receiver receiver, void* context)
    : translator_(translator),
      options_(options),
      receiver_(receiver),
      context_(context),
      splitter_(translator.model_info().sentence_rules) {}

void TextStream::KeepCode(std::string_view code) {
  code_bytes_ = code.size() <= kMostCodeBytes ? code.size() : 0;
  if (code_bytes_ > 0) std::memcpy(code_, code.data(), code_bytes_);
}

Status TextStream::TranslatePiece(const SourceSentence& piece) {
  std::string_view rest = splitter_.JoinLines(piece);
  StreamedText out;
  out.line = piece.line;
  TranslateOptions options = options_;
  const bool has_own_code = translator_.LanguageCodeBytes(rest) > 0;
  if (has_own_code) {
    options.language_code = {};
  } else if (code_bytes_ > 0) {
    options.language_code = {code_, code_bytes_};
  }
  while (!rest.empty()) {
    const Result<Translation> part = translator_.TranslatePart(rest, options);
    if (!part.ok()) return part.status();
    const size_t bytes = part->source_bytes;
    out.text = part->text;
    out.source = {rest.data(), bytes};
    rest.remove_prefix(bytes);
    out.cut = !rest.empty() || piece.end == SentenceEnd::kCut;
    out.stop_reason = part->stop_reason;
    receiver_(context_, out);
    options.language_code = part->language_code;
    if (!rest.empty() && part->space_follows) {
      receiver_(context_, {.text = " ", .source = {}, .line = out.line});
    }
  }
  if (has_own_code) KeepCode(options.language_code);
  const std::string_view behind = SpaceAfter(out.text, piece.space, piece.end);
  if (!behind.empty()) {
    receiver_(context_, {.text = behind, .source = {}, .line = out.line});
  }
  return Status();
}

Status TextStream::TranslatePieces() {
  SourceSentence piece;
  while (splitter_.Next(&piece)) {
    LATIMER_RETURN_IF_ERROR(TranslatePiece(piece));
  }
  return Status();
}

Status TextStream::Push(std::string_view bytes) {
  while (!bytes.empty()) {
    bytes.remove_prefix(splitter_.Push(bytes));
    LATIMER_RETURN_IF_ERROR(TranslatePieces());
  }
  return Status();
}

Status TextStream::Finish() {
  splitter_.End();
  const Status status = TranslatePieces();
  if (status.ok()) code_bytes_ = 0;
  return status;
}

}  // namespace latimer
