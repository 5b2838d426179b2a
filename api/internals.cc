#include "internals.h"

#include <optional>

#include "base/check.h"
#include "markup/html_text.h"
#include "model/operation_bytes.h"
#include "translator_state.h"

namespace latimer {

const ModelDescription& Internals::Describe(const Translator& translator) {
  LATIMER_CHECK(translator.state_ != nullptr);
  return translator.state_->model();
}

void Internals::RecordTimes(Translator& translator, OperationTimes* times) {
  LATIMER_CHECK(translator.state_ != nullptr);
  translator.state_->times = times;
}

uint64_t Internals::WeightBytesPerToken(const Translator& translator,
                                        Operation operation) {
  LATIMER_CHECK(translator.state_ != nullptr);
  return DecoderWeightBytes(translator.state_->engine.model, operation);
}

bool Internals::HasQueued(const Translator& translator) {
  LATIMER_CHECK(translator.state_ != nullptr);
  return translator.state_->scheduler.has_queued();
}

const char* Internals::KernelName(const Translator& translator, int index) {
  LATIMER_CHECK(translator.state_ != nullptr && index >= 0);
  const Engine& engine = translator.state_->engine;
  int i = 0;
  for (; const char* name =
             latimer::KernelName(engine.gemm, static_cast<size_t>(i));
       ++i) {
    if (i == index) return name;
  }
  if (i == index) return engine.vector->name;
  const NibbleKernels* nibble = engine.nibble;
  return i + 1 == index && nibble != nullptr ? nibble->name : nullptr;
}

Status Internals::HearSound(Translator& translator,
                            std::span<const float> samples,
                            std::span<int32_t> tokens) {
  LATIMER_CHECK(translator.state_ != nullptr);
  if constexpr (kProfile.speech()) {
    return translator.state_->HearSound(samples, tokens);
  }
  return ReadsText();
}

Status Internals::BeginHtml(Translator& translator,
                            const HtmlSentence& sentence,
                            TranslateOptions* options, HtmlText* html) {
  // Not how many have begun: one may begin again.
  options->sampling.stream = sentence.number + 1;
  options->sentences = false;
  options->protected_ranges = sentence.protected_ranges;
  std::optional<TextCursor> cursor;
  const auto begin = [&] {
    cursor.emplace(sentence.text, *options, sentence.protected_bytes);
    return translator.Begin(*cursor, sentence.number);
  };
  Status status = begin();
  if (status.code() == StatusCode::kTextTooLong) {
    options->protected_ranges = {};  // A source of fixed length has no room.
    status = begin();
  }
  LATIMER_RETURN_IF_ERROR(status);
  html->Cut(sentence.number, cursor->source_bytes(), cursor->space_follows(),
            cursor->protected_bytes());
  return Status();
}

}  // namespace latimer
