// Native methods: the options of a translation.

#include <stdlib.h>

#include "latimer_jni.h"

namespace latimer::java {

void FreeOptions(Model* model) {
  while (Block* const block = model->blocks) {
    model->blocks = block->next;
    free(block);
  }
}

namespace {

// Zeroed memory that lives as long as the options. Throws if there is none.
void* Keep(JNIEnv* env, jclass native, Model* model, size_t bytes) {
  auto* const block = static_cast<Block*>(calloc(1, sizeof(Block) + bytes));
  if (block == nullptr) {
    ThrowNoMemory(env, native, bytes);
    return nullptr;
  }
  block->next = model->blocks;
  model->blocks = block;
  return block + 1;
}

// Copies element `index` of a byte[][], zero-terminated, and counts its bytes.
// Null if it is null, or if this throws.
const char* KeepText(JNIEnv* env, jclass native, Model* model,
                     jobjectArray texts, jsize index, size_t* byte_count) {
  auto array =
      static_cast<jbyteArray>(env->GetObjectArrayElement(texts, index));
  if (array == nullptr) return nullptr;
  const jsize length = env->GetArrayLength(array);
  *byte_count = static_cast<size_t>(length);
  auto* const text =
      static_cast<jbyte*>(Keep(env, native, model, *byte_count + 1));
  if (text != nullptr) env->GetByteArrayRegion(array, 0, length, text);
  env->DeleteLocalRef(array);
  return reinterpret_cast<char*>(text);
}

// The same of an int[][]; null if it is empty.
const int32_t* KeepInts(JNIEnv* env, jclass native, Model* model,
                        jobjectArray arrays, jsize index, size_t* count) {
  auto array =
      static_cast<jintArray>(env->GetObjectArrayElement(arrays, index));
  const jsize length = env->GetArrayLength(array);
  int32_t* ints = nullptr;
  if (length > 0) {
    *count = static_cast<size_t>(length);
    ints = static_cast<int32_t*>(
        Keep(env, native, model, *count * sizeof(int32_t)));
    if (ints != nullptr) env->GetIntArrayRegion(array, 0, length, ints);
  }
  env->DeleteLocalRef(array);
  return ints;
}

// The terms, each of which is a source and a target in a byte[][].
const latimer_term* KeepTerms(JNIEnv* env, jclass native, Model* model,
                              jobjectArray texts, size_t* count) {
  const jsize length = env->GetArrayLength(texts);
  if (length == 0) return nullptr;
  *count = static_cast<size_t>(length) / 2;
  auto* const terms = static_cast<latimer_term*>(
      Keep(env, native, model, *count * sizeof(latimer_term)));
  for (jsize i = 0; terms != nullptr && i < length; i += 2) {
    latimer_term* const term = &terms[i / 2];
    term->source = KeepText(env, native, model, texts, i, &term->source_bytes);
    if (env->ExceptionCheck()) return nullptr;
    term->target =
        KeepText(env, native, model, texts, i + 1, &term->target_bytes);
    if (env->ExceptionCheck()) return nullptr;
  }
  return terms;
}

// Sets options by name: names and values in turns. Throws if one is refused.
void SetNamed(JNIEnv* env, jclass native, Model* model, jobjectArray named,
              latimer_options* options) {
  const jsize length = env->GetArrayLength(named);
  char message[LATIMER_MESSAGE_BYTES];
  size_t bytes = 0;
  for (jsize i = 0; i < length; i += 2) {
    const char* const name = KeepText(env, native, model, named, i, &bytes);
    if (env->ExceptionCheck()) return;
    const char* const value =
        KeepText(env, native, model, named, i + 1, &bytes);
    if (env->ExceptionCheck()) return;
    const latimer_code code =
        latimer_set_option(options, name, value, message, sizeof(message));
    if (code != LATIMER_OK) return Throw(env, native, code, message);
  }
}

}  // namespace
}  // namespace latimer::java

using namespace latimer::java;

// Arrays are in the order of TranslateOptions.set.
LATIMER_JNI(void, setOptions)
(JNIEnv* env, jclass native, jlong handle, jobjectArray named,
 jobjectArray ints, jobjectArray terms, jlong stream) {
  Model* const model = FromHandle(handle);
  FreeOptions(model);
  latimer_options options = {};
  options.struct_bytes = sizeof(options);
  options.stream = static_cast<uint64_t>(stream);
  SetNamed(env, native, model, named, &options);
  if (env->ExceptionCheck()) return;

  const int32_t *banned_ends, *protected_ranges;
  size_t banned_tokens = 0, range_ends = 0;
  const struct {
    const int32_t** ints;
    size_t* count;
  } arrays[] = {{&options.suppressed, &options.suppressed_count},
                {&options.target_prefix_ids, &options.target_prefix_count},
                {&options.banned_tokens, &banned_tokens},
                {&banned_ends, &options.banned_count},
                {&protected_ranges, &range_ends}};
  jsize i = 0;
  for (const auto& array : arrays) {
    *array.ints = KeepInts(env, native, model, ints, i++, array.count);
    if (env->ExceptionCheck()) return;
  }
  options.banned_ends = reinterpret_cast<const uint32_t*>(banned_ends);
  static_assert(sizeof(latimer_text_range) == 2 * sizeof(int32_t));
  options.protected_ranges =
      reinterpret_cast<const latimer_text_range*>(protected_ranges);
  options.protected_range_count = range_ends / 2;
  options.terms = KeepTerms(env, native, model, terms, &options.term_count);
  if (env->ExceptionCheck()) return;
  model->options = options;
  const latimer_code code = latimer_check_options(model->translator, &options);
  if (code != LATIMER_OK) ThrowLast(env, native, model, code);
}
