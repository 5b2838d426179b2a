#include <algorithm>
#include <cstring>

#include "latimer/streams.h"

namespace latimer {

TextStream::TextStream(Translator& translator, const TranslateOptions& options,
                       Receiver receiver, void* context)
    : translator_(translator),
      options_(options),
      receiver_(receiver),
      context_(context),
      splitter_(translator.model_info().sentence_rules) {
  options_.sentences = false;  // They are known.
}

void TextStream::KeepCode(std::string_view code) {
  code_bytes_ = code.size() <= kMaxCodeBytes ? code.size() : 0;
  if (code_bytes_ > 0) std::memcpy(code_, code.data(), code_bytes_);
}

Status TextStream::TranslateSentence(const SourceSentence& sentence) {
  const std::string_view text = splitter_.JoinLines(sentence);
  if (!options_.protected_ranges.empty()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "Protected ranges are bytes of one text; a stream has "
                         "none to which they could belong.");
  }
  StreamedText out;
  out.line = sentence.line;
  TranslateOptions options = options_;
  options.sampling.stream = ++sentences_;
  const bool has_own_code = translator_.LanguageCodeBytes(text) > 0;
  if (has_own_code) {
    options.language_code = {};
  } else if (code_bytes_ > 0) {
    options.language_code = {code_, code_bytes_};
  }
  TextCursor cursor(text, options);
  while (!text.empty() && !cursor.done()) {
    const char* const source = cursor.rest().data();
    const Result<Translation> part = translator_.TranslateNext(cursor);
    if (!part.ok()) return part.status();
    out.text = part->text;
    out.source = {source, part->source_bytes};
    out.cut = !cursor.rest().empty() || sentence.end == SentenceEnd::kCut;
    out.stop_reason = std::max(part->stop_reason, cursor.stop_reason());
    receiver_(context_, out);
    if (!cursor.done() && !part->space.empty()) {
      receiver_(context_,
                {.text = part->space, .source = {}, .line = out.line});
    }
  }
  if (has_own_code) KeepCode(cursor.language_code());
  const std::string_view space =
      SpaceAfter(out.text, sentence.space, sentence.end);
  if (!space.empty()) {
    receiver_(context_, {.text = space, .source = {}, .line = out.line});
  }
  return Status();
}

Status TextStream::TranslateSentences() {
  SourceSentence sentence;
  while (splitter_.Next(&sentence)) {
    const Status status = TranslateSentence(sentence);
    if (!status.ok()) {
      DropText();
      return status;
    }
  }
  return Status();
}

void TextStream::DropText() {
  splitter_.End();
  SourceSentence sentence;
  while (splitter_.Next(&sentence)) {
  }
  code_bytes_ = 0;
}

Status TextStream::Push(std::string_view bytes) {
  while (!bytes.empty()) {
    bytes.remove_prefix(splitter_.Push(bytes));
    LATIMER_RETURN_IF_ERROR(TranslateSentences());
  }
  return Status();
}

Status TextStream::Finish() {
  splitter_.End();
  const Status status = TranslateSentences();
  code_bytes_ = 0;
  return status;
}

}  // namespace latimer
