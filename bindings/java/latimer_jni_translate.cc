// Native methods: translating, and what it calls in Java.

#include <stddef.h>
#include <stdlib.h>

#include "latimer_jni.h"

namespace latimer::java {

// What callbacks need while a call runs.
struct Call {
  JNIEnv* env;
  jclass native;
  Model* model;
  jobject listener;  // May be null.
  jobject
      receiver;  // A TextReceiver, a ByteArrayOutputStream of HTML, or null.
  jmethodID on_token;
  jmethodID on_text;
  jmethodID on_html;
  bool stopped = false;    // By the listener.
  bool cancelled = false;  // The receiver gets no more.
};

namespace {

// Ends the sentences that are under way.
void Drain(Model* model) {
  latimer_set_cancelled(model->translator, 1);
  while (latimer_under_way(model->translator) > 0) {
    latimer_translation last = {};
    last.struct_bytes = sizeof(last);
    int finished = 0;
    uint64_t ticket = 0;
    (void)latimer_advance(model->translator, &finished, &ticket, &last);
  }
}

}  // namespace

void EndStream(Model* model) {
  if (model->stream.memory == nullptr) return;
  Drain(model);  // Of HTML.
  free(model->stream.memory);
  model->stream = Stream();
}

namespace {

// ---- Callbacks --------------------------------------------------------------

// The translation ends at once, and no callback is called any more.
void Cancel(Call* call) {
  call->cancelled = true;
  latimer_set_cancelled(call->model->translator, 1);
}

// The context of all is the model, because a stream outlives a call.
bool OnToken(void* context, size_t index, int32_t token) {
  Call* const call = static_cast<Model*>(context)->call;
  if (call == nullptr) return false;  // The stream ends.
  if (call->listener == nullptr) return true;
  if (call->env->ExceptionCheck()) return false;
  const jboolean goes_on = call->env->CallStaticBooleanMethod(
      call->native, call->on_token, call->listener, static_cast<jint>(index),
      static_cast<jint>(token));
  if (!call->env->ExceptionCheck() && goes_on) return true;
  call->stopped = true;
  latimer_set_cancelled(call->model->translator, 1);
  return false;
}

void OnText(void* context, const latimer_streamed_text* portion) {
  Call* const call = static_cast<Model*>(context)->call;
  JNIEnv* const env = call->env;
  if (call->cancelled) return;
  if (env->ExceptionCheck()) return Cancel(call);  // In OnToken.
  jbyteArray text = NewBytes(env, portion->text, portion->text_bytes);
  if (text == nullptr) return Cancel(call);
  jbyteArray source = NewBytes(env, portion->source, portion->source_bytes);
  if (source == nullptr) return Cancel(call);
  env->CallStaticVoidMethod(
      call->native, call->on_text, call->receiver, text, source,
      static_cast<jlong>(portion->line),
      static_cast<jboolean>(portion->cut ? JNI_TRUE : JNI_FALSE),
      static_cast<jint>(portion->stop_reason));
  if (env->ExceptionCheck()) return Cancel(call);
  env->DeleteLocalRef(text);
  env->DeleteLocalRef(source);
  if (portion->stop_reason == LATIMER_CANCELLED) call->cancelled = true;
}

void OnHtml(void* context, const char* html, size_t html_bytes) {
  Call* const call = static_cast<Model*>(context)->call;
  JNIEnv* const env = call->env;
  if (call->cancelled) return;
  if (env->ExceptionCheck()) return Cancel(call);  // In OnToken.
  jbyteArray some = NewBytes(env, html, html_bytes);
  if (some == nullptr) return Cancel(call);
  env->CallStaticVoidMethod(call->native, call->on_html, call->receiver, some);
  if (env->ExceptionCheck()) return Cancel(call);
  env->DeleteLocalRef(some);
}

// Prepares a call with a listener and a receiver, which may be null. Throws if
// Java has no such methods.
bool Begin(JNIEnv* env, jclass native, Model* model, jobject listener,
           jobject receiver, Call* call) {
  *call = {env,     native,  model,   listener, receiver,
           nullptr, nullptr, nullptr, false,    false};
  const struct {
    jmethodID* method;
    const char* name;
    const char* type;
  } methods[] = {
      {&call->on_token, "onToken", "(Ldev/latimer/TokenListener;II)Z"},
      {&call->on_text, "onText", "(Ldev/latimer/TextReceiver;[B[BJZI)V"},
      {&call->on_html, "onHtml", "(Ljava/io/ByteArrayOutputStream;[B)V"}};
  for (const auto& m : methods) {
    *m.method = env->GetStaticMethodID(native, m.name, m.type);
    if (*m.method == nullptr) return false;
  }
  model->call = call;
  model->options.on_token = listener == nullptr ? nullptr : OnToken;
  model->options.token_context = model;
  return true;
}

// An exception of a callback goes before an error.
void Finish(JNIEnv* env, jclass native, Model* model, latimer_code code) {
  model->call = nullptr;
  if (env->ExceptionCheck() || code == LATIMER_OK) return;
  ThrowLast(env, native, model, code);
}

// ---- Parts of a translation -------------------------------------------------

latimer_translation NewTranslation() {
  latimer_translation translation = {};
  translation.struct_bytes = sizeof(translation);
  return translation;
}

// Two numbers for each word, its bytes, and its score. Null if protected spans
// have changed the text. False: there is an exception.
bool NewWords(Call* call, const latimer_translation& t, jintArray* ranges,
              jfloatArray* scores) {
  JNIEnv* const env = call->env;
  const size_t most = t.token_count;
  const size_t bytes =
      most * (sizeof(latimer_word_score) + 2 * sizeof(int32_t) + sizeof(float));
  auto* const words = static_cast<latimer_word_score*>(malloc(bytes + 1));
  if (words == nullptr) {
    ThrowNoMemory(env, call->native, bytes);
    return false;
  }
  auto* const ends = reinterpret_cast<int32_t*>(words + most);
  auto* const means = reinterpret_cast<float*>(ends + 2 * most);
  size_t count = 0;
  if (latimer_score_words(call->model->translator, words, most, &count) !=
      LATIMER_OK) {
    free(words);
    return true;
  }
  for (size_t i = 0; i < count; ++i) {
    ends[2 * i] = static_cast<int32_t>(words[i].begin);
    ends[2 * i + 1] = static_cast<int32_t>(words[i].end);
    means[i] = words[i].log_probability;
  }
  *ranges = NewInts(env, ends, 2 * count);
  if (*ranges != nullptr) *scores = NewFloats(env, means, count);
  free(words);
  return !env->ExceptionCheck();
}

// All weights, row by row.
jfloatArray NewAttention(JNIEnv* env, const latimer_translator* translator,
                         const latimer_translation& t) {
  size_t count = 0, columns = 0;
  for (size_t row = 0; row < t.attention_rows; ++row) {
    (void)latimer_attention_row(translator, 0, 0, row, &columns);
    count += columns * t.attention_layers * t.attention_heads;
  }
  return NewFloats(env, latimer_attention_row(translator, 0, 0, 0, &columns),
                   count);
}

// Gives a translation, or a part of one, to Java's Parts. It may throw.
void GivePart(Call* call, jobject parts, const latimer_translation& t) {
  JNIEnv* const env = call->env;
  const jmethodID on_part = env->GetStaticMethodID(
      call->native, "onPart", "(Ldev/latimer/Parts;[B[B[I[I[F[I[F[I[F[J)V");
  if (on_part == nullptr) return;
  const jmethodID on_hypothesis = env->GetStaticMethodID(
      call->native, "onHypothesis", "(Ldev/latimer/Parts;[B[IF)V");
  if (on_hypothesis == nullptr) return;

  jbyteArray text = NewBytes(env, t.text, t.text_bytes);
  if (text == nullptr) return;
  jbyteArray space = NewBytes(env, t.space, t.space_bytes);
  if (space == nullptr) return;
  jintArray tokens = NewInts(env, t.tokens, t.token_count);
  if (tokens == nullptr) return;
  jintArray source = NewInts(env, t.source, t.source_count);
  if (source == nullptr) return;
  jfloatArray scores = nullptr;
  jintArray words = nullptr;
  jfloatArray word_scores = nullptr;
  if (t.scores != nullptr) {
    static_assert(sizeof(latimer_token_score) == 2 * sizeof(float));
    scores = NewFloats(env, &t.scores->log_probability, 2 * t.token_count);
    if (scores == nullptr) return;
    const bool has_text = t.text != nullptr;
    if (has_text && !NewWords(call, t, &words, &word_scores)) return;
  }
  jintArray links = nullptr;
  if (t.links != nullptr) {
    static_assert(sizeof(latimer_token_link) == 4 * sizeof(int32_t));
    links = NewInts(env, reinterpret_cast<const int32_t*>(t.links),
                    4 * t.link_count);
    if (links == nullptr) return;
  }
  jfloatArray attention = nullptr;
  if (t.attention_rows > 0) {
    attention = NewAttention(env, call->model->translator, t);
    if (attention == nullptr) return;
  }
  const jlong n[] = {static_cast<jlong>(t.source_bytes),
                     t.stop_reason,
                     static_cast<jlong>(t.generated_tokens),
                     t.attention_layers,
                     t.attention_heads,
                     static_cast<jlong>(t.attention_rows)};
  jlongArray numbers = env->NewLongArray(6);
  if (numbers == nullptr) return;
  env->SetLongArrayRegion(numbers, 0, 6, n);
  env->CallStaticVoidMethod(call->native, on_part, parts, text, space, tokens,
                            source, scores, words, word_scores, links,
                            attention, numbers);

  const int32_t* ids = nullptr;
  size_t count = 0;
  float score = 0;
  for (size_t i = 0;
       latimer_hypothesis(call->model->translator, i, &ids, &count, &score);
       ++i) {
    if (env->ExceptionCheck()) return;
    jintArray hypothesis = NewInts(env, ids, count);
    if (hypothesis == nullptr) return;
    const char* hypothesis_words = nullptr;
    size_t bytes = 0;
    if (t.text != nullptr) {
      const latimer_code code = latimer_hypothesis_text(
          call->model->translator, i, &hypothesis_words, &bytes);
      if (code != LATIMER_OK) {
        return ThrowLast(env, call->native, call->model, code);
      }
    }
    jbyteArray hypothesis_text = NewBytes(env, hypothesis_words, bytes);
    if (hypothesis_text == nullptr) return;
    env->CallStaticVoidMethod(call->native, on_hypothesis, parts,
                              hypothesis_text, hypothesis,
                              static_cast<jfloat>(score));
    env->DeleteLocalRef(hypothesis_text);
    env->DeleteLocalRef(hypothesis);
  }
}

// GivePart in a frame of its own.
void GiveOnePart(Call* call, jobject parts, const latimer_translation& part) {
  if (call->env->PushLocalFrame(16) != 0) return;
  GivePart(call, parts, part);
  call->env->PopLocalFrame(nullptr);
}

// Gives Java the parts of a text, each with the reason of all so far.
latimer_code TranslateParts(Call* call, latimer_cursor* cursor, jobject parts) {
  latimer_translator* const translator = call->model->translator;
  latimer_translation part = NewTranslation();
  while (!latimer_cursor_done(cursor)) {
    const latimer_code code = latimer_translate_next(translator, cursor, &part);
    if (code != LATIMER_OK || call->env->ExceptionCheck()) return code;
    part.stop_reason = latimer_cursor_stop_reason(cursor);
    GiveOnePart(call, parts, part);
    if (call->env->ExceptionCheck()) return LATIMER_OK;
  }
  return LATIMER_OK;
}

// ---- Several texts side by side ---------------------------------------------

// A text that is under way, one part after another. The memory of its cursor
// comes after it.
struct alignas(max_align_t) OpenText {
  latimer_cursor* cursor;  // Null: free for another text.
  char* bytes;
  jsize number;
  size_t source_bytes;  // Of the part that is under way.
  bool under_way;
};

size_t OpenTextBytes() {
  constexpr size_t kUnit = alignof(OpenText);
  const size_t bytes = sizeof(OpenText) + latimer_cursor_bytes();
  return (bytes + kUnit - 1) / kUnit * kUnit;
}

class OpenTexts {
 public:
  explicit OpenTexts(uint32_t count)
      : count_(count),
        stride_(OpenTextBytes()),
        memory_(static_cast<char*>(calloc(count, stride_))) {}
  ~OpenTexts() {
    for (uint32_t i = 0; memory_ != nullptr && i < count_; ++i) Close(At(i));
    free(memory_);
  }
  OpenTexts(const OpenTexts&) = delete;
  OpenTexts& operator=(const OpenTexts&) = delete;

  bool ok() const { return memory_ != nullptr; }
  size_t bytes() const { return count_ * stride_; }
  OpenText* At(uint64_t place) const {
    return reinterpret_cast<OpenText*>(memory_ + place * stride_);
  }
  // The place of a text that waits for its next part; otherwise one that is
  // free; otherwise count().
  uint32_t count() const { return count_; }
  uint32_t Next() const {
    uint32_t free_place = count_;
    for (uint32_t i = 0; i < count_; ++i) {
      const OpenText& text = *At(i);
      if (text.cursor == nullptr) {
        free_place = i;
      } else if (!text.under_way) {
        return i;
      }
    }
    return free_place;
  }
  static void Close(OpenText* text) {
    free(text->bytes);
    *text = OpenText();
  }

 private:
  uint32_t count_;
  size_t stride_;
  char* memory_;
};

// Begins text `number` of a byte[][]. It may throw.
latimer_code Open(Call* call, jobjectArray texts, jsize number,
                  OpenText* text) {
  JNIEnv* const env = call->env;
  Model* const model = call->model;
  auto array =
      static_cast<jbyteArray>(env->GetObjectArrayElement(texts, number));
  const jsize count = env->GetArrayLength(array);
  const auto bytes = static_cast<size_t>(count);
  text->bytes = static_cast<char*>(malloc(bytes + 1));
  if (text->bytes == nullptr) {
    ThrowNoMemory(env, call->native, bytes);
    return LATIMER_OK;
  }
  env->GetByteArrayRegion(array, 0, count,
                          reinterpret_cast<jbyte*>(text->bytes));
  env->DeleteLocalRef(array);
  text->number = number;
  text->cursor =
      latimer_cursor_begin(model->translator, text->bytes, bytes,
                           &model->options, text + 1, latimer_cursor_bytes());
  ++model->options.stream;  // Of the next text.
  return text->cursor == nullptr ? LATIMER_INVALID_ARGUMENT : LATIMER_OK;
}

// Begins parts while there is room. It may throw.
latimer_code BeginParts(Call* call, jobjectArray texts, const OpenTexts& open,
                        jsize* next) {
  latimer_translator* const translator = call->model->translator;
  const jsize count = call->env->GetArrayLength(texts);
  while (latimer_can_begin(translator) != 0) {
    const uint32_t place = open.Next();
    if (place == open.count()) break;
    OpenText* const text = open.At(place);
    latimer_code code = LATIMER_OK;
    if (text->cursor == nullptr) {
      if (*next == count) break;
      code = Open(call, texts, (*next)++, text);
      if (code != LATIMER_OK || call->env->ExceptionCheck()) return code;
    }
    latimer_translation begun = NewTranslation();
    code = latimer_begin_next(translator, text->cursor, place, &begun);
    if (code != LATIMER_OK) return code;
    text->source_bytes = begun.source_bytes;
    text->under_way = true;
  }
  return LATIMER_OK;
}

// Translates all texts of a byte[][] into a Parts[]. After a cancellation it
// begins no other. It may throw.
latimer_code TranslateTexts(Call* call, jobjectArray texts, jobjectArray parts,
                            const OpenTexts& open) {
  JNIEnv* const env = call->env;
  latimer_translator* const translator = call->model->translator;
  latimer_translation part = NewTranslation();
  jsize next = 0;
  for (;;) {
    latimer_code code = BeginParts(call, texts, open, &next);
    if (code != LATIMER_OK || env->ExceptionCheck()) return code;
    if (latimer_under_way(translator) == 0) return LATIMER_OK;
    int finished = 0;
    uint64_t place = 0;
    code = latimer_advance(translator, &finished, &place, &part);
    if (code != LATIMER_OK) return code;
    if (finished == 0) continue;
    OpenText* const text = open.At(place);
    text->under_way = false;
    latimer_cursor_finish(text->cursor, &part);
    part.stop_reason = latimer_cursor_stop_reason(text->cursor);
    part.source_bytes = text->source_bytes;
    jobject of_text = env->GetObjectArrayElement(parts, text->number);
    GiveOnePart(call, of_text, part);
    env->DeleteLocalRef(of_text);
    if (env->ExceptionCheck()) return LATIMER_OK;
    if (part.stop_reason == LATIMER_CANCELLED) {
      next = env->GetArrayLength(texts);
    }
    if (latimer_cursor_done(text->cursor) != 0) OpenTexts::Close(text);
  }
}

}  // namespace
}  // namespace latimer::java

using namespace latimer::java;

LATIMER_JNI(void, setCancelled)
(JNIEnv*, jclass, jlong handle, jboolean cancelled) {
  latimer_set_cancelled(FromHandle(handle)->translator, cancelled ? 1 : 0);
}

LATIMER_JNI(void, translate)
(JNIEnv* env, jclass native, jlong handle, jbyteArray text, jobject listener,
 jobject parts) {
  Model* const model = FromHandle(handle);
  const Bytes bytes(env, text);
  if (!bytes.ok()) return;
  const size_t cursor_bytes = latimer_cursor_bytes();
  void* const memory = malloc(cursor_bytes);
  if (memory == nullptr) return ThrowNoMemory(env, native, cursor_bytes);
  Call call;
  if (Begin(env, native, model, listener, nullptr, &call)) {
    latimer_cursor* const cursor =
        latimer_cursor_begin(model->translator, bytes.data(), bytes.size(),
                             &model->options, memory, cursor_bytes);
    Finish(env, native, model,
           cursor == nullptr ? LATIMER_INVALID_ARGUMENT
                             : TranslateParts(&call, cursor, parts));
  }
  free(memory);
}

LATIMER_JNI(void, translateAll)
(JNIEnv* env, jclass native, jlong handle, jobjectArray texts,
 jobjectArray parts) {
  Model* const model = FromHandle(handle);
  const OpenTexts open(model->lanes);
  if (!open.ok()) return ThrowNoMemory(env, native, open.bytes());
  Call call;
  if (!Begin(env, native, model, nullptr, nullptr, &call)) return;
  Finish(env, native, model, TranslateTexts(&call, texts, parts, open));
  Drain(model);  // After an error.
}

LATIMER_JNI(void, translateIds)
(JNIEnv* env, jclass native, jlong handle, jintArray ids, jobject listener,
 jobject parts) {
  Model* const model = FromHandle(handle);
  Call call;
  if (!Begin(env, native, model, listener, nullptr, &call)) return;
  const Ints tokens(env, ids);
  if (!tokens.ok()) return;
  latimer_translation translation = NewTranslation();
  const latimer_code code =
      latimer_translate_ids(model->translator, tokens.data(), tokens.size(),
                            &model->options, &translation);
  if (code == LATIMER_OK && !env->ExceptionCheck()) {
    GivePart(&call, parts, translation);
  }
  Finish(env, native, model, code);
}

LATIMER_JNI(void, beginStream)
(JNIEnv* env, jclass native, jlong handle, jboolean is_html) {
  Model* const model = FromHandle(handle);
  Stream* const stream = &model->stream;
  const size_t bytes = is_html ? latimer_html_bytes() : latimer_text_bytes();
  stream->memory = malloc(bytes);
  if (stream->memory == nullptr) return ThrowNoMemory(env, native, bytes);
  model->options.on_token = OnToken;
  model->options.token_context = model;
  if (is_html) {
    stream->html = latimer_html_begin(model->translator, &model->options,
                                      &OnHtml, model, stream->memory, bytes);
  } else {
    stream->text = latimer_text_begin(model->translator, &model->options,
                                      &OnText, model, stream->memory, bytes);
  }
  if (stream->html == nullptr && stream->text == nullptr) {
    ThrowLast(env, native, model, LATIMER_INVALID_ARGUMENT);
  }
}

LATIMER_JNI(jboolean, push)
(JNIEnv* env, jclass native, jlong handle, jbyteArray bytes, jint count,
 jobject listener, jobject receiver) {
  Model* const model = FromHandle(handle);
  const Stream& stream = model->stream;
  Call call;
  if (!Begin(env, native, model, listener, receiver, &call)) return JNI_FALSE;
  latimer_code code;
  if (bytes == nullptr) {
    code = stream.html != nullptr ? latimer_html_finish(stream.html)
                                  : latimer_text_finish(stream.text);
  } else {
    const Bytes some(env, bytes);
    if (!some.ok()) return JNI_FALSE;
    const auto size = static_cast<size_t>(count);
    code = stream.html != nullptr
               ? latimer_html_push(stream.html, some.data(), size)
               : latimer_text_push(stream.text, some.data(), size);
  }
  Finish(env, native, model, code);
  const bool stopped = stream.html != nullptr && call.stopped;
  return call.cancelled || stopped ? JNI_FALSE : JNI_TRUE;
}

LATIMER_JNI(void, endStream)(JNIEnv*, jclass, jlong handle) {
  EndStream(FromHandle(handle));
}
