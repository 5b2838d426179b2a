// What the native methods of dev.latimer.Native share. They lie over the C API.
// A handle is the address of a Model; one thread uses it at a time, except for
// setCancelled. Java sees to that, and that no argument is null which may not
// be.
//
// There are no exceptions, and nothing of the C++ library is linked. A function
// that throws in Java returns at once, because JNI allows next to nothing while
// an exception is pending.
#ifndef LATIMER_BINDINGS_JAVA_LATIMER_JNI_H_
#define LATIMER_BINDINGS_JAVA_LATIMER_JNI_H_

#include <jni.h>
#include <stddef.h>
#include <stdint.h>

#include "latimer/latimer.h"

#define LATIMER_JNI(type, name) \
  extern "C" JNIEXPORT type JNICALL Java_dev_latimer_Native_##name

namespace latimer::java {

// Where the bytes of a model file lie, and what holds them.
struct Image {
  const void* bytes = nullptr;
  size_t byte_count = 0;
  void* mapping = nullptr;  // To unmap, if it is not null.
  size_t mapping_bytes = 0;
  bool copied = false;
  jobject buffer = nullptr;  // A global reference.
};

// A text or a document in portions: one of the first two, or none.
struct Stream {
  latimer_text* text = nullptr;
  latimer_html* html = nullptr;
  void* memory = nullptr;
};

// Memory that the options of a call point to comes after it.
struct alignas(8) Block {
  Block* next;
};

struct Call;

struct Model {
  Image image;
  void* workspace = nullptr;
  latimer_translator* translator = nullptr;
  latimer_options options = {};
  Block* blocks = nullptr;  // That the options point to.
  uint32_t lanes = 1;       // Sentences side by side.
  Stream stream;
  Call* call = nullptr;  // That runs.
};

inline Model* FromHandle(jlong handle) {
  return reinterpret_cast<Model*>(static_cast<intptr_t>(handle));
}

// Frees what the options of the last call point to.
void FreeOptions(Model* model);
// Ends what is under way in a stream, and frees it.
void EndStream(Model* model);

// ---- Java's arrays and exceptions -------------------------------------------

// Null with a pending exception if Java has no memory.
jbyteArray NewBytes(JNIEnv* env, const char* bytes, size_t count);
jintArray NewInts(JNIEnv* env, const int32_t* numbers, size_t count);
jfloatArray NewFloats(JNIEnv* env, const float* numbers, size_t count);

// Throw a LatimerException: with this message, with that of the last call, or
// because of memory.
void Throw(JNIEnv* env, jclass native, latimer_code code, const char* message);
void ThrowLast(JNIEnv* env, jclass native, const Model* model,
               latimer_code code);
void ThrowNoMemory(JNIEnv* env, jclass native, size_t bytes);

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

}  // namespace latimer::java

#endif  // LATIMER_BINDINGS_JAVA_LATIMER_JNI_H_
