// Native methods: text and tokens, and the model. And what all files share.

#include "latimer_jni.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace latimer::java {

jbyteArray NewBytes(JNIEnv* env, const char* bytes, size_t count) {
  const auto length = static_cast<jsize>(count);
  jbyteArray array = env->NewByteArray(length);
  if (array != nullptr && length > 0) {
    env->SetByteArrayRegion(array, 0, length,
                            reinterpret_cast<const jbyte*>(bytes));
  }
  return array;
}

jintArray NewInts(JNIEnv* env, const int32_t* numbers, size_t count) {
  const auto length = static_cast<jsize>(count);
  jintArray array = env->NewIntArray(length);
  if (array != nullptr && length > 0) {
    env->SetIntArrayRegion(array, 0, length, numbers);
  }
  return array;
}

jfloatArray NewFloats(JNIEnv* env, const float* numbers, size_t count) {
  const auto length = static_cast<jsize>(count);
  jfloatArray array = env->NewFloatArray(length);
  if (array != nullptr && length > 0) {
    env->SetFloatArrayRegion(array, 0, length, numbers);
  }
  return array;
}

void Throw(JNIEnv* env, jclass native, latimer_code code, const char* message) {
  jbyteArray text = NewBytes(env, message, strlen(message));
  if (text == nullptr) return;
  const jmethodID fail = env->GetStaticMethodID(native, "fail", "(I[B)V");
  if (fail == nullptr) return;
  env->CallStaticVoidMethod(native, fail, static_cast<jint>(code), text);
}

void ThrowLast(JNIEnv* env, jclass native, const Model* model,
               latimer_code code) {
  Throw(env, native, code, latimer_message(model->translator));
}

void ThrowNoMemory(JNIEnv* env, jclass native, size_t bytes) {
  char message[LATIMER_MESSAGE_BYTES];
  snprintf(message, sizeof(message),
           "There are no %llu bytes of memory for the model.",
           static_cast<unsigned long long>(bytes));
  Throw(env, native, LATIMER_RESOURCE_UNAVAILABLE, message);
}

namespace {

using Tokenizer = decltype(&latimer_tokenize);

// The tokens of a text, of which there are at most `most`.
jintArray Tokenize(JNIEnv* env, jclass native, const Model* model,
                   Tokenizer tokenizer, const Bytes& text, size_t most) {
  auto* const ids = static_cast<int32_t*>(calloc(most + 1, sizeof(int32_t)));
  if (ids == nullptr) {
    ThrowNoMemory(env, native, most * sizeof(int32_t));
    return nullptr;
  }
  size_t count = 0;
  const latimer_code code =
      tokenizer(model->translator, text.data(), text.size(), ids, most, &count);
  jintArray array = nullptr;
  if (code == LATIMER_OK) {
    array = NewInts(env, ids, count);
  } else {
    ThrowLast(env, native, model, code);
  }
  free(ids);
  return array;
}

}  // namespace
}  // namespace latimer::java

using namespace latimer::java;

LATIMER_JNI(jintArray, tokenize)
(JNIEnv* env, jclass native, jlong handle, jbyteArray text) {
  const Model* const model = FromHandle(handle);
  const Bytes bytes(env, text);
  if (!bytes.ok()) return nullptr;
  size_t count = 0;
  const latimer_code code = latimer_count_tokens(
      model->translator, bytes.data(), bytes.size(), &count);
  if (code != LATIMER_OK) {
    ThrowLast(env, native, model, code);
    return nullptr;
  }
  return Tokenize(env, native, model, latimer_tokenize, bytes, count);
}

LATIMER_JNI(jintArray, tokenizeTarget)
(JNIEnv* env, jclass native, jlong handle, jbyteArray text) {
  const Bytes bytes(env, text);
  if (!bytes.ok()) return nullptr;
  // As many as bytes, and what begins a text.
  return Tokenize(env, native, FromHandle(handle), latimer_tokenize_target,
                  bytes, bytes.size() + 1);
}

LATIMER_JNI(jbyteArray, detokenize)
(JNIEnv* env, jclass native, jlong handle, jintArray ids) {
  const Model* const model = FromHandle(handle);
  const Ints tokens(env, ids);
  if (!tokens.ok()) return nullptr;
  const char* text = nullptr;
  size_t text_bytes = 0;
  const latimer_code code = latimer_detokenize(
      model->translator, tokens.data(), tokens.size(), &text, &text_bytes);
  if (code == LATIMER_OK) return NewBytes(env, text, text_bytes);
  ThrowLast(env, native, model, code);
  return nullptr;
}

LATIMER_JNI(jbyteArray, piece)
(JNIEnv* env, jclass, jlong handle, jint token, jboolean of_target) {
  char piece[LATIMER_PIECE_BYTES];
  const auto function = of_target ? latimer_target_piece : latimer_source_piece;
  return NewBytes(env, piece,
                  function(FromHandle(handle)->translator, token, piece));
}

LATIMER_JNI(jbyteArray, language)
(JNIEnv* env, jclass, jlong handle, jint index) {
  int32_t token = 0;
  const char* const name = latimer_language(FromHandle(handle)->translator,
                                            static_cast<size_t>(index), &token);
  return name == nullptr ? nullptr : NewBytes(env, name, strlen(name));
}

LATIMER_JNI(jbyteArray, license)(JNIEnv* env, jclass native, jlong handle) {
  const Model* const model = FromHandle(handle);
  latimer_model_info info = {};
  info.struct_bytes = sizeof(info);
  const latimer_code code = latimer_get_model_info(model->translator, &info);
  if (code == LATIMER_OK) {
    return NewBytes(env, info.license, info.license_bytes);
  }
  ThrowLast(env, native, model, code);
  return nullptr;
}

LATIMER_JNI(jintArray, checkNumbers)
(JNIEnv* env, jclass, jbyteArray source, jbyteArray translation) {
  const Bytes from(env, source);
  if (!from.ok()) return nullptr;
  const Bytes to(env, translation);
  if (!to.ok()) return nullptr;
  latimer_text_range ranges[LATIMER_MOST_CHECKED_NUMBERS];
  size_t missing = 0;
  const size_t count =
      latimer_check_numbers(from.data(), from.size(), to.data(), to.size(),
                            ranges, LATIMER_MOST_CHECKED_NUMBERS, &missing);
  int32_t numbers[1 + 2 * LATIMER_MOST_CHECKED_NUMBERS];
  numbers[0] = static_cast<int32_t>(missing);
  for (size_t i = 0; i < count; ++i) {
    numbers[1 + 2 * i] = static_cast<int32_t>(ranges[i].begin);
    numbers[2 + 2 * i] = static_cast<int32_t>(ranges[i].end);
  }
  return NewInts(env, numbers, 1 + 2 * count);
}
