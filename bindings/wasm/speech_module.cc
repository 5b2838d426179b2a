// What latimer_speech.wasm exports: all of latimer.wasm, and speech.
#include "module.cc"

IMPORT("said")
void OnSegment(const char* text, size_t text_bytes, const char* language,
               double start, double end, const int32_t* tokens,
               size_t token_count, float temperature, float avg_logprob,
               float compression_ratio, float no_speech_prob,
               float language_probability, int stop_reason);

EXPORT("speechBytes") size_t SpeechBytes() { return latimer_speech_bytes(); }
// A stream of recordings that are WAVs in `memory` of SpeechBytes(), or null.
// The language and the prompt, which may be empty, are in the input, one after
// another; max_tokens may be 0.
EXPORT("speechBegin")
latimer_speech* SpeechBegin(void* memory, size_t language_bytes,
                            size_t prompt_bytes, size_t max_tokens,
                            int translate, int short_window, int no_timestamps,
                            int no_previous_text, int no_fallback) {
  if (language_bytes + prompt_bytes + 2 > kOptionBytes) {
    state->code = LATIMER_TEXT_TOO_LONG;
    std::strcpy(state->message, "The language or the prompt is too long.");
    return nullptr;
  }
  char* const language = state->option_texts;
  char* const prompt = language + language_bytes + 1;
  std::memcpy(language, state->input, language_bytes);
  language[language_bytes] = 0;
  std::memcpy(prompt, state->input + language_bytes, prompt_bytes);
  prompt[prompt_bytes] = 0;
  latimer_speech_options options = {};
  options.struct_bytes = sizeof(options);
  options.language = language;
  options.prompt = prompt;
  options.max_tokens = max_tokens;
  options.translate = translate;
  options.short_window = short_window;
  options.no_timestamps = no_timestamps;
  options.no_previous_text = no_previous_text;
  options.no_fallback = no_fallback;
  const auto receive = [](void*, const latimer_segment* s) {
    OnSegment(s->text, s->text_bytes, s->language, s->start, s->end, s->tokens,
              s->token_count, s->temperature, s->avg_logprob,
              s->compression_ratio, s->no_speech_prob, s->language_probability,
              s->stop_reason);
  };
  latimer_speech* speech =
      latimer_speech_begin(state->translator, &options, receive, nullptr,
                           memory, latimer_speech_bytes());
  if (speech == nullptr) Succeeds(LATIMER_INVALID_ARGUMENT);
  return speech;
}
EXPORT("speechPush") int SpeechPush(latimer_speech* speech, size_t bytes) {
  return Succeeds(latimer_speech_push(speech, state->input, bytes));
}
EXPORT("speechFinish") int SpeechFinish(latimer_speech* speech) {
  return Succeeds(latimer_speech_finish(speech));
}
