// The C API on top of the C++ one: speech. A build whose models read text has
// no code for it.

#include <algorithm>

#include "latimer/speech_stream.h"
#include "latimer_c.h"
#include "translator_state.h"

using latimer::Give;
using latimer::Status;
using latimer::StatusCode;

static_assert(sizeof(latimer_speech_options) ==
              offsetof(latimer_speech_options, word_timestamps) +
                  sizeof(size_t));
static_assert(sizeof(latimer_segment) ==
              offsetof(latimer_segment, word_count) + sizeof(size_t));

struct latimer_speech {
  latimer_speech(latimer_translator* of,
                 const latimer::TranscribeOptions& options,
                 latimer_segment_receiver to, void* with, uint32_t pcm_rate)
      : translator(of),
        receiver(to),
        context(with),
        stream(of->translator, options, &Receive, this, pcm_rate) {}

  static void Receive(void* self, const latimer::Transcription& said) {
    auto* speech = static_cast<latimer_speech*>(self);
    for (const latimer::TranscriptionSegment& in : said.segments) {
      std::ranges::transform(
          in.words, speech->words, [](const latimer::TranscriptionWord& word) {
            return latimer_word{.text = word.text.data(),
                                .text_bytes = word.text.size(),
                                .start = word.start,
                                .end = word.end,
                                .probability = word.probability};
          });
      const latimer_segment out = {
          .struct_bytes = sizeof(latimer_segment),
          .text = in.text.data(),
          .text_bytes = in.text.size(),
          .language = said.language.empty() ? "" : said.language.data(),
          .start = in.start,
          .end = in.end,
          .tokens = in.tokens.data(),
          .token_count = in.tokens.size(),
          .temperature = in.temperature,
          .avg_logprob = in.avg_logprob,
          .compression_ratio = in.compression_ratio,
          .no_speech_prob = in.no_speech_prob,
          .language_probability = said.language_probability,
          .stop_reason = static_cast<latimer_stop_reason>(said.stop_reason),
          .words = in.words.empty() ? nullptr : speech->words,
          .word_count = in.words.size()};
      speech->receiver(speech->context, &out);
    }
  }

  latimer_translator* translator;
  latimer_segment_receiver receiver;
  void* context;
  // Of a segment.
  latimer_word
      words[latimer::kProfile.speech() ? latimer::Transcriber::kMostWords : 1];
  latimer::SpeechStream stream;
};

static_assert(!latimer::kProfile.speech() ||
              sizeof(latimer_speech) <= LATIMER_SPEECH_BYTES);

size_t latimer_speech_bytes(void) {
  return latimer::kProfile.speech() ? sizeof(latimer_speech) : 0;
}

latimer_speech* latimer_speech_begin(latimer_translator* translator,
                                     const latimer_speech_options* given,
                                     latimer_segment_receiver receiver,
                                     void* context, void* memory,
                                     size_t memory_bytes) {
  if (!translator->translator.model_info().reads_speech) {
    (void)Give(translator, latimer::ReadsText());
    return nullptr;
  }
  if (memory == nullptr || memory_bytes < latimer_speech_bytes()) {
    (void)Give(translator,
               Status::Error(StatusCode::kInvalidArgument,
                             "Speech is transcribed in latimer_speech_bytes() "
                             "bytes."));
    return nullptr;
  }
  latimer_speech_options in;
  const Status status =
      latimer::ReadStruct("latimer_speech_options", given, &in);
  if (Give(translator, status) != LATIMER_OK) return nullptr;
  latimer::TranscribeOptions options;
  if (in.language != nullptr) options.language = in.language;
  options.translate = in.translate != 0;
  options.short_window = in.short_window != 0;
  if (in.prompt != nullptr) options.prompt = in.prompt;
  options.timestamps = in.no_timestamps == 0;
  options.condition_on_previous_text = in.no_previous_text == 0;
  options.fallback = in.no_fallback == 0;
  options.word_timestamps = in.word_timestamps != 0;
  if (in.max_tokens > 0) {
    options.max_tokens =
        static_cast<uint32_t>(std::min<size_t>(in.max_tokens, UINT32_MAX));
  }
  options.cancel = &translator->cancelled;
  if constexpr (latimer::kProfile.speech()) {
    return new (memory)
        latimer_speech(translator, options, receiver, context, in.pcm_rate);
  } else {
    return nullptr;  // No model got here.
  }
}

latimer_code latimer_speech_push(latimer_speech* speech, const void* bytes,
                                 size_t byte_count) {
  const latimer_code code =
      latimer::CheckGiven(speech->translator, bytes, byte_count);
  if (code != LATIMER_OK) return code;
  speech->translator->last = {};
  if constexpr (latimer::kProfile.speech()) {
    return Give(speech->translator,
                speech->stream.Push(
                    {static_cast<const std::byte*>(bytes), byte_count}));
  } else {
    return LATIMER_FAILED_PRECONDITION;
  }
}

latimer_code latimer_speech_finish(latimer_speech* speech) {
  speech->translator->last = {};
  if constexpr (latimer::kProfile.speech()) {
    return Give(speech->translator, speech->stream.Finish());
  } else {
    return LATIMER_FAILED_PRECONDITION;
  }
}
