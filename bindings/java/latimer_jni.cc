// The native methods of dev.latimer.Native, over the C API. A handle is the
// address of a Model; one thread uses it at a time, except for setCancelled.
// Java sees to that, and that no argument is null which may not be.
//
// There are no exceptions, and nothing of the C++ library is linked. A function
// that throws in Java returns at once, because JNI allows next to nothing while
// an exception is pending.

#include <errno.h>
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "latimer/latimer.h"

namespace {

constexpr int kStrings = 5;  // Of latimer_options.

// Where the bytes of a model file lie, and what holds them.
struct Image {
  const void* bytes = nullptr;
  size_t byte_count = 0;
  void* mapping = nullptr;  // To unmap, if it is not null.
  size_t mapping_bytes = 0;
  bool copied = false;
  jobject buffer = nullptr;  // A global reference.
};

// A text in portions.
struct Stream {
  latimer_text* text = nullptr;  // Null: none, and memory is null too.
  void* memory = nullptr;
};

struct Call;

struct Model {
  Image image;
  void* workspace = nullptr;
  latimer_translator* translator = nullptr;
  latimer_options options = {};
  char* strings[kStrings] = {};  // What the options point to.
  int32_t forced_first = 0;
  uint32_t no_repeat_ngram = 0;
  int32_t* suppressed = nullptr;
  latimer_translation translation = {};
  Stream stream;
  Call* call = nullptr;  // That runs.
};

// What callbacks need while a call runs.
struct Call {
  JNIEnv* env;
  jclass native;
  Model* model;
  jobject listener;  // May be null.
  jobject receiver;  // Null unless it is a push.
  jmethodID on_token;
  jmethodID on_text;
  bool cancelled = false;  // The receiver gets no more.
};

Model* FromHandle(jlong handle) {
  return reinterpret_cast<Model*>(static_cast<intptr_t>(handle));
}

// ---- Java's arrays and exceptions -------------------------------------------

// Null with a pending exception if Java has no memory, like all below.
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

// Throws a LatimerException.
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

// The elements of a byte[] or an int[] while this lives. They are not pinned:
// a translation may take long.
class Bytes {
 public:
  Bytes(JNIEnv* env, jbyteArray array)
      : env_(env),
        array_(array),
        elements_(env->GetByteArrayElements(array, nullptr)) {}
  ~Bytes() {
    if (ok()) env_->ReleaseByteArrayElements(array_, elements_, JNI_ABORT);
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  bool ok() const { return elements_ != nullptr; }  // Or an exception.
  const char* data() const { return reinterpret_cast<char*>(elements_); }
  size_t size() const {
    return static_cast<size_t>(env_->GetArrayLength(array_));
  }

 private:
  JNIEnv* env_;
  jbyteArray array_;
  jbyte* elements_;
};

class Ints {
 public:
  Ints(JNIEnv* env, jintArray array)
      : env_(env),
        array_(array),
        elements_(env->GetIntArrayElements(array, nullptr)) {}
  ~Ints() {
    if (ok()) env_->ReleaseIntArrayElements(array_, elements_, JNI_ABORT);
  }
  Ints(const Ints&) = delete;
  Ints& operator=(const Ints&) = delete;

  bool ok() const { return elements_ != nullptr; }  // Or an exception.
  const int32_t* data() const { return elements_; }
  size_t size() const {
    return static_cast<size_t>(env_->GetArrayLength(array_));
  }

 private:
  JNIEnv* env_;
  jintArray array_;
  jint* elements_;
};

// ---- The bytes of a model file ----------------------------------------------

void Release(JNIEnv* env, Image* image) {
  if (image->mapping != nullptr) munmap(image->mapping, image->mapping_bytes);
  if (image->buffer != nullptr) env->DeleteGlobalRef(image->buffer);
  *image = Image();
}

// Maps `length` bytes of an open file from `offset`, or all that follow for -1.
// Throws if there are none.
bool MapDescriptor(JNIEnv* env, jclass native, jint fd, jlong offset,
                   jlong length, Image* image) {
  char message[LATIMER_MESSAGE_BYTES];
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    snprintf(message, sizeof(message),
             "The descriptor %d is not that of an open regular file.",
             static_cast<int>(fd));
    Throw(env, native, LATIMER_RESOURCE_UNAVAILABLE, message);
    return false;
  }
  const auto size = static_cast<jlong>(info.st_size);
  if (length == -1 && offset >= 0 && offset < size) length = size - offset;
  if (offset < 0 || length <= 0 || offset > size || length > size - offset) {
    snprintf(
        message, sizeof(message),
        "The file has %lld bytes: there is no model of %lld bytes at %lld.",
        static_cast<long long>(size), static_cast<long long>(length),
        static_cast<long long>(offset));
    Throw(env, native, LATIMER_INVALID_ARGUMENT, message);
    return false;
  }
  const jlong before = offset % sysconf(_SC_PAGESIZE);
  const auto mapped = static_cast<uint64_t>(before + length);
  void* const mapping =
      mapped > SIZE_MAX / 2
          ? MAP_FAILED
          : mmap64(nullptr, static_cast<size_t>(mapped), PROT_READ, MAP_PRIVATE,
                   fd, offset - before);
  if (mapping == MAP_FAILED) {
    snprintf(message, sizeof(message),
             "The descriptor %d cannot be mapped (error %d of the system).",
             static_cast<int>(fd), errno);
    Throw(env, native, LATIMER_RESOURCE_UNAVAILABLE, message);
    return false;
  }
  image->mapping = mapping;
  image->mapping_bytes = static_cast<size_t>(mapped);
  image->bytes = static_cast<const char*>(mapping) + before;
  image->byte_count = static_cast<size_t>(length);
  return true;
}

// Replaces an image that is not aligned by a copy. Throws if there is no
// memory.
bool Align(JNIEnv* env, jclass native, Image* image) {
  const auto address = reinterpret_cast<uintptr_t>(image->bytes);
  const size_t bytes = image->byte_count;
  if (address % latimer_workspace_alignment() == 0 || bytes == 0) return true;
  void* const copy = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) {
    Release(env, image);
    ThrowNoMemory(env, native, bytes);
    return false;
  }
  memcpy(copy, image->bytes, bytes);
  Release(env, image);
  image->bytes = copy;
  image->byte_count = bytes;
  image->mapping = copy;
  image->mapping_bytes = bytes;
  image->copied = true;
  return true;
}

// ---- Loading ----------------------------------------------------------------

void FreeOptions(Model* model) {
  for (char*& text : model->strings) {
    free(text);
    text = nullptr;
  }
  free(model->suppressed);
  model->suppressed = nullptr;
}

void EndStream(Model* model) {
  free(model->stream.memory);
  model->stream = Stream();
}

void Destroy(JNIEnv* env, Model* model) {
  if (model->translator != nullptr) latimer_unload(model->translator);
  EndStream(model);
  FreeOptions(model);
  free(model->workspace);
  Release(env, &model->image);
  free(model);
}

// Plans and loads. The message is that of the call that failed.
latimer_code LoadTranslator(const latimer_load_options& options, Model* model,
                            char* message, size_t message_bytes) {
  const Image& image = model->image;
  const size_t scratch_bytes = latimer_scratch_bytes();
  size_t workspace_bytes = scratch_bytes;
  void* const scratch = malloc(scratch_bytes);
  if (scratch != nullptr) {
    const latimer_code code = latimer_plan_workspace(
        image.bytes, image.byte_count, &options, scratch, scratch_bytes,
        &workspace_bytes, nullptr, message, message_bytes);
    free(scratch);
    if (code != LATIMER_OK) return code;
    model->workspace = malloc(workspace_bytes);
  }
  if (model->workspace == nullptr) {
    snprintf(message, message_bytes, "There are no %llu bytes of memory left.",
             static_cast<unsigned long long>(workspace_bytes));
    return LATIMER_RESOURCE_UNAVAILABLE;
  }
  return latimer_load(image.bytes, image.byte_count, model->workspace,
                      workspace_bytes, &options, &model->translator, message,
                      message_bytes);
}

// Loads a model from an image, which it releases if it throws.
jlong Load(JNIEnv* env, jclass native, Image image, jint threads,
           jboolean skip_checksum) {
  if (!Align(env, native, &image)) return 0;
  void* const memory = malloc(sizeof(Model));
  if (memory == nullptr) {
    Release(env, &image);
    ThrowNoMemory(env, native, sizeof(Model));
    return 0;
  }
  auto* const model = static_cast<Model*>(memory);
  *model = Model();
  model->image = image;
  latimer_load_options options = {};
  options.struct_bytes = sizeof(options);
  options.threads = static_cast<uint32_t>(threads);
  options.lanes = 1;
  options.no_insight = 0;
  options.skip_checksum = skip_checksum ? 1 : 0;
  char message[LATIMER_MESSAGE_BYTES];
  const latimer_code code =
      LoadTranslator(options, model, message, sizeof(message));
  if (code == LATIMER_OK) {
    return static_cast<jlong>(reinterpret_cast<intptr_t>(model));
  }
  Destroy(env, model);
  Throw(env, native, code, message);
  return 0;
}

// ---- Callbacks --------------------------------------------------------------

// The translation ends at once, and no callback is called any more.
void Cancel(Call* call) {
  call->cancelled = true;
  latimer_set_cancelled(call->model->translator, 1);
}

// The context of both is the model, because a stream outlives a call.
bool OnToken(void* context, size_t index, int32_t token) {
  Call* const call = static_cast<Model*>(context)->call;
  if (call->listener == nullptr) return true;
  if (call->env->ExceptionCheck()) return false;
  const jboolean goes_on = call->env->CallStaticBooleanMethod(
      call->native, call->on_token, call->listener, static_cast<jint>(index),
      static_cast<jint>(token));
  if (!call->env->ExceptionCheck() && goes_on) return true;
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

// Prepares a call with a listener and a receiver, which may be null. Throws if
// Java has no such methods.
bool Begin(JNIEnv* env, jclass native, Model* model, jobject listener,
           jobject receiver, Call* call) {
  *call = {env, native, model, listener, receiver, nullptr, nullptr};
  call->on_token = env->GetStaticMethodID(native, "onToken",
                                          "(Ldev/latimer/TokenListener;II)Z");
  if (call->on_token == nullptr) return false;
  call->on_text = env->GetStaticMethodID(
      native, "onText", "(Ldev/latimer/TextReceiver;[B[BJZI)V");
  if (call->on_text == nullptr) return false;
  model->call = call;
  model->options.on_token = listener == nullptr ? nullptr : OnToken;
  model->options.token_context = model;
  model->translation = {};
  model->translation.struct_bytes = sizeof(model->translation);
  return true;
}

// An exception of a callback goes before an error.
void Finish(JNIEnv* env, jclass native, Model* model, latimer_code code) {
  model->call = nullptr;
  if (env->ExceptionCheck() || code == LATIMER_OK) return;
  ThrowLast(env, native, model, code);
}

}  // namespace

#define LATIMER_JNI(type, name) \
  extern "C" JNIEXPORT type JNICALL Java_dev_latimer_Native_##name

// ---- Loading ----------------------------------------------------------------

LATIMER_JNI(jlong, loadFile)
(JNIEnv* env, jclass native, jbyteArray path, jint threads,
 jboolean skip_checksum) {
  const jsize length = env->GetArrayLength(path);
  auto* const name =
      static_cast<char*>(malloc(static_cast<size_t>(length) + 1));
  if (name == nullptr) {
    ThrowNoMemory(env, native, static_cast<size_t>(length));
    return 0;
  }
  env->GetByteArrayRegion(path, 0, length, reinterpret_cast<jbyte*>(name));
  name[length] = '\0';
  Image image;
  char message[LATIMER_MESSAGE_BYTES];
  const latimer_code code = latimer_map_file(
      name, &image.bytes, &image.byte_count, message, sizeof(message));
  free(name);
  if (code != LATIMER_OK) {
    Throw(env, native, code, message);
    return 0;
  }
  image.mapping = const_cast<void*>(image.bytes);
  image.mapping_bytes = image.byte_count;
  return Load(env, native, image, threads, skip_checksum);
}

LATIMER_JNI(jlong, loadDescriptor)
(JNIEnv* env, jclass native, jint fd, jlong offset, jlong length, jint threads,
 jboolean skip_checksum) {
  Image image;
  if (!MapDescriptor(env, native, fd, offset, length, &image)) return 0;
  return Load(env, native, image, threads, skip_checksum);
}

LATIMER_JNI(jlong, loadBuffer)
(JNIEnv* env, jclass native, jobject buffer, jint threads,
 jboolean skip_checksum) {
  Image image;
  image.bytes = env->GetDirectBufferAddress(buffer);
  if (image.bytes == nullptr) {
    Throw(env, native, LATIMER_INVALID_ARGUMENT, "The buffer has no address.");
    return 0;
  }
  image.byte_count = static_cast<size_t>(env->GetDirectBufferCapacity(buffer));
  image.buffer = env->NewGlobalRef(buffer);
  if (image.buffer == nullptr) {
    ThrowNoMemory(env, native, sizeof(image));
    return 0;
  }
  return Load(env, native, image, threads, skip_checksum);
}

LATIMER_JNI(void, unload)(JNIEnv* env, jclass, jlong handle) {
  Destroy(env, FromHandle(handle));
}

LATIMER_JNI(jboolean, isCopied)(JNIEnv*, jclass, jlong handle) {
  return FromHandle(handle)->image.copied ? JNI_TRUE : JNI_FALSE;
}

// ---- Translating ------------------------------------------------------------

LATIMER_JNI(void, setCancelled)
(JNIEnv*, jclass, jlong handle, jboolean cancelled) {
  latimer_set_cancelled(FromHandle(handle)->translator, cancelled ? 1 : 0);
}

LATIMER_JNI(void, setOptions)
(JNIEnv* env, jclass native, jlong handle, jobjectArray strings,
 jintArray numbers, jfloat repetition_penalty, jintArray suppressed) {
  Model* const model = FromHandle(handle);
  FreeOptions(model);
  for (jsize i = 0; i < kStrings; ++i) {
    auto text = static_cast<jbyteArray>(env->GetObjectArrayElement(strings, i));
    if (text == nullptr) continue;
    const jsize length = env->GetArrayLength(text);
    model->strings[i] =
        static_cast<char*>(calloc(static_cast<size_t>(length) + 1, 1));
    if (model->strings[i] == nullptr) {
      return ThrowNoMemory(env, native, static_cast<size_t>(length));
    }
    env->GetByteArrayRegion(text, 0, length,
                            reinterpret_cast<jbyte*>(model->strings[i]));
    env->DeleteLocalRef(text);
  }
  const jsize count = env->GetArrayLength(suppressed);
  if (count > 0) {
    model->suppressed = static_cast<int32_t*>(
        calloc(static_cast<size_t>(count), sizeof(int32_t)));
    if (model->suppressed == nullptr) {
      return ThrowNoMemory(env, native, static_cast<size_t>(count));
    }
    env->GetIntArrayRegion(suppressed, 0, count, model->suppressed);
  }
  jint n[10];  // In the order of Translator.setOptions.
  env->GetIntArrayRegion(numbers, 0, 10, n);
  if (env->ExceptionCheck()) return;

  latimer_options options = {};
  options.struct_bytes = sizeof(options);
  options.source_language = model->strings[0];
  options.target_language = model->strings[1];
  options.language_code = model->strings[2];
  options.task = model->strings[3];
  options.prefix = model->strings[4];
  options.max_target_tokens = static_cast<uint32_t>(n[0]);
  options.min_target_tokens = static_cast<uint32_t>(n[1]);
  model->forced_first = n[3];
  if (n[2] != 0) options.forced_first = &model->forced_first;
  model->no_repeat_ngram = static_cast<uint32_t>(n[5]);
  if (n[4] != 0) options.no_repeat_ngram = &model->no_repeat_ngram;
  options.no_guards = n[6];
  options.budget_tokens = static_cast<uint32_t>(n[7]);
  options.budget_ms = static_cast<uint32_t>(n[8]);
  options.scores = n[9];
  options.repetition_penalty = repetition_penalty;
  options.suppressed = model->suppressed;
  options.suppressed_count = static_cast<size_t>(count);
  model->options = options;
}

LATIMER_JNI(void, translate)
(JNIEnv* env, jclass native, jlong handle, jbyteArray text, jobject listener) {
  Model* const model = FromHandle(handle);
  Call call;
  if (!Begin(env, native, model, listener, nullptr, &call)) return;
  const Bytes bytes(env, text);
  if (!bytes.ok()) return;
  const latimer_code code =
      latimer_translate(model->translator, bytes.data(), bytes.size(),
                        &model->options, &model->translation);
  Finish(env, native, model, code);
}

LATIMER_JNI(void, translateIds)
(JNIEnv* env, jclass native, jlong handle, jintArray ids, jobject listener) {
  Model* const model = FromHandle(handle);
  Call call;
  if (!Begin(env, native, model, listener, nullptr, &call)) return;
  const Ints tokens(env, ids);
  if (!tokens.ok()) return;
  const latimer_code code =
      latimer_translate_ids(model->translator, tokens.data(), tokens.size(),
                            &model->options, &model->translation);
  Finish(env, native, model, code);
}

LATIMER_JNI(jbyteArray, text)(JNIEnv* env, jclass, jlong handle) {
  const latimer_translation& t = FromHandle(handle)->translation;
  return NewBytes(env, t.text, t.text_bytes);
}

LATIMER_JNI(jintArray, tokens)(JNIEnv* env, jclass, jlong handle) {
  const latimer_translation& t = FromHandle(handle)->translation;
  return NewInts(env, t.tokens, t.token_count);
}

LATIMER_JNI(jfloatArray, scores)(JNIEnv* env, jclass, jlong handle) {
  const latimer_translation& t = FromHandle(handle)->translation;
  if (t.scores == nullptr) return nullptr;
  static_assert(sizeof(latimer_token_score) == 2 * sizeof(jfloat));
  const auto length = static_cast<jsize>(2 * t.token_count);
  jfloatArray array = env->NewFloatArray(length);
  if (array != nullptr && length > 0) {
    env->SetFloatArrayRegion(array, 0, length, &t.scores->log_probability);
  }
  return array;
}

LATIMER_JNI(jlongArray, numbers)(JNIEnv* env, jclass, jlong handle) {
  const latimer_translation& t = FromHandle(handle)->translation;
  const jlong numbers[] = {t.stop_reason,
                           static_cast<jlong>(t.generated_tokens),
                           static_cast<jlong>(t.source_bytes)};
  jlongArray array = env->NewLongArray(3);
  if (array != nullptr) env->SetLongArrayRegion(array, 0, 3, numbers);
  return array;
}

LATIMER_JNI(void, beginStream)(JNIEnv* env, jclass native, jlong handle) {
  Model* const model = FromHandle(handle);
  model->stream.memory = malloc(latimer_text_bytes());
  if (model->stream.memory == nullptr) {
    return ThrowNoMemory(env, native, latimer_text_bytes());
  }
  model->options.on_token = OnToken;
  model->options.token_context = model;
  model->stream.text =
      latimer_text_begin(model->translator, &model->options, &OnText, model,
                         model->stream.memory, latimer_text_bytes());
  if (model->stream.text == nullptr) {
    ThrowLast(env, native, model, LATIMER_INVALID_ARGUMENT);
  }
}

LATIMER_JNI(jboolean, push)
(JNIEnv* env, jclass native, jlong handle, jbyteArray bytes, jint count,
 jobject listener, jobject receiver) {
  Model* const model = FromHandle(handle);
  Call call;
  if (!Begin(env, native, model, listener, receiver, &call)) return JNI_FALSE;
  latimer_code code;
  if (bytes == nullptr) {
    code = latimer_text_finish(model->stream.text);
  } else {
    const Bytes text(env, bytes);
    if (!text.ok()) return JNI_FALSE;
    code = latimer_text_push(model->stream.text, text.data(),
                             static_cast<size_t>(count));
  }
  Finish(env, native, model, code);
  return call.cancelled ? JNI_FALSE : JNI_TRUE;
}

LATIMER_JNI(void, endStream)(JNIEnv*, jclass, jlong handle) {
  EndStream(FromHandle(handle));
}

// ---- Text and tokens, the model ---------------------------------------------

LATIMER_JNI(jintArray, tokenize)
(JNIEnv* env, jclass native, jlong handle, jbyteArray text) {
  const Model* const model = FromHandle(handle);
  const Bytes bytes(env, text);
  if (!bytes.ok()) return nullptr;
  size_t count = 0;
  latimer_code code = latimer_count_tokens(model->translator, bytes.data(),
                                           bytes.size(), &count);
  if (code != LATIMER_OK) {
    ThrowLast(env, native, model, code);
    return nullptr;
  }
  auto* const ids =
      static_cast<int32_t*>(malloc((count > 0 ? count : 1) * sizeof(int32_t)));
  if (ids == nullptr) {
    ThrowNoMemory(env, native, count * sizeof(int32_t));
    return nullptr;
  }
  jintArray array = nullptr;
  code = latimer_tokenize(model->translator, bytes.data(), bytes.size(), ids,
                          count, &count);
  if (code == LATIMER_OK) {
    array = NewInts(env, ids, count);
  } else {
    ThrowLast(env, native, model, code);
  }
  free(ids);
  return array;
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
