// Native methods: the bytes of a model file, loading and unloading.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "latimer_jni.h"

namespace latimer::java {
namespace {

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

void Destroy(JNIEnv* env, Model* model) {
  EndStream(model);
  if (model->translator != nullptr) latimer_unload(model->translator);
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
jlong Load(JNIEnv* env, jclass native, Image image, jintArray load) {
  jint n[5];  // In the order of LoadOptions.numbers.
  env->GetIntArrayRegion(load, 0, 5, n);
  if (env->ExceptionCheck()) {
    Release(env, &image);
    return 0;
  }
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
  options.threads = static_cast<uint32_t>(n[0]);
  options.pin_threads = n[1];
  options.lanes = model->lanes = static_cast<uint32_t>(n[2]);
  options.beams = static_cast<uint32_t>(n[3]);
  options.trust_file = n[4];
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

}  // namespace
}  // namespace latimer::java

using namespace latimer::java;

LATIMER_JNI(jlong, loadFile)
(JNIEnv* env, jclass native, jbyteArray path, jintArray load) {
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
  return Load(env, native, image, load);
}

LATIMER_JNI(jlong, loadDescriptor)
(JNIEnv* env, jclass native, jint fd, jlong offset, jlong length,
 jintArray load) {
  Image image;
  if (!MapDescriptor(env, native, fd, offset, length, &image)) return 0;
  return Load(env, native, image, load);
}

LATIMER_JNI(jlong, loadBuffer)
(JNIEnv* env, jclass native, jobject buffer, jintArray load) {
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
  return Load(env, native, image, load);
}

LATIMER_JNI(void, unload)(JNIEnv* env, jclass, jlong handle) {
  Destroy(env, FromHandle(handle));
}

LATIMER_JNI(jboolean, isCopied)(JNIEnv*, jclass, jlong handle) {
  return FromHandle(handle)->image.copied ? JNI_TRUE : JNI_FALSE;
}
