// What the files of the C API share: the translator, its errors, and structs
// that may be older or newer than the library.
#ifndef LATIMER_LATIMER_C_H_
#define LATIMER_LATIMER_C_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <string_view>

#include "latimer/latimer.h"
#include "latimer/translator.h"

// Comes before the C++ workspace in the caller's memory.
struct latimer_translator {
  latimer::Translator translator;
  std::span<std::byte> workspace;
  latimer::Status last_error;
  latimer::Translation last;  // That a call has given; empty for none.
  std::atomic<bool> cancelled = false;
};

namespace latimer {

inline latimer_code CodeOf(const Status& status) {
  return static_cast<latimer_code>(status.code());
}

// Keeps a failure for latimer_message, and returns the code.
inline latimer_code Give(latimer_translator* translator, const Status& status) {
  if (!status.ok()) translator->last_error = status;
  return CodeOf(status);
}

// kInvalidArgument for a null pointer with a count above 0.
Status CheckPointer(const char* name, const void* pointer, size_t count);

// The same of a text or of ids, and keeps the error.
inline latimer_code CheckGiven(latimer_translator* translator,
                               const void* source, size_t count) {
  return Give(translator, CheckPointer("The source", source, count));
}

// Writes as much of a message as fits, with a terminating zero.
inline void WriteMessage(const Status& status, char* message,
                         size_t message_bytes) {
  if (message == nullptr || message_bytes == 0) return;
  const size_t kept =
      std::min(std::strlen(status.message()), message_bytes - 1);
  std::memcpy(message, status.message(), kept);
  message[kept] = '\0';
}

// The error if the struct_bytes of a struct are not set.
inline Status NoSize(const char* name) {
  return Status::Error(StatusCode::kInvalidArgument,
                       "struct_bytes is not set; set it to sizeof(%s).", name);
}

// kInvalidArgument unless struct_bytes is set.
template <typename T>
Status CheckSize(const char* name, const T* given) {
  return given->struct_bytes >= sizeof(size_t) ? Status() : NoSize(name);
}

// Copies a struct that the caller filled in, perhaps with a size that is not
// this library's: what it lacks is zero. kInvalidArgument if its size is not
// set, or what this library does not know is not zero.
template <typename T>
Status ReadStruct(const char* name, const T* given, T* out) {
  static_assert(offsetof(T, struct_bytes) == 0);
  *out = T{};
  if (given == nullptr) return Status();
  LATIMER_RETURN_IF_ERROR(CheckSize(name, given));
  const auto* const bytes = reinterpret_cast<const std::byte*>(given);
  for (size_t i = sizeof(T); i < given->struct_bytes; ++i) {
    if (bytes[i] == std::byte{0}) continue;
    return Status::Error(StatusCode::kInvalidArgument,
                         "%s has a member that this older library does not "
                         "know; leave it zero, or link a newer one.",
                         name);
  }
  std::memcpy(out, given, std::min(given->struct_bytes, sizeof(T)));
  return Status();
}

// Fills a struct of the caller as far as it reaches. Precondition: CheckSize.
template <typename T>
void WriteStruct(T filled, T* out) {
  filled.struct_bytes = out->struct_bytes;
  std::memcpy(out, &filled, std::min(out->struct_bytes, sizeof(T)));
}

// The options of a call. Errors: those of ReadStruct.
Status ReadOptions(const latimer_translator* translator,
                   const latimer_options* given, TranslateOptions* out);

// Writes a translation or keeps the error, and returns the code. Precondition:
// CheckSize.
latimer_code GiveTranslation(latimer_translator* translator,
                             const Result<Translation>& result,
                             latimer_translation* out);

// Makes an object of the C API in the caller's memory, of the options and of
// more arguments. NULL, with a message, if the memory is too little, which
// `too_little` says, or if the options are refused.
template <typename Object, typename... Arguments>
Object* BeginIn(void* memory, size_t memory_bytes, const char* too_little,
                latimer_translator* translator, const latimer_options* given,
                Arguments... arguments) {
  if (memory == nullptr || memory_bytes < sizeof(Object)) {
    (void)Give(translator,
               Status::Error(StatusCode::kInvalidArgument, "%s", too_little));
    return nullptr;
  }
  TranslateOptions options;
  const Status status = ReadOptions(translator, given, &options);
  if (Give(translator, status) != LATIMER_OK) return nullptr;
  return new (memory) Object(translator, options, arguments...);
}

// A stream of the C API: one of C++ whose output goes to a receiver of C.
template <typename Stream, typename Receiver>
struct ReceivedStream {
  template <typename Receive>
  ReceivedStream(latimer_translator* of, const TranslateOptions& options,
                 Receive receive, Receiver to, void* with)
      : translator(of),
        receiver(to),
        context(with),
        stream(of->translator, options, receive, this) {}

  latimer_code Push(const char* bytes, size_t byte_count) {
    const latimer_code code = CheckGiven(translator, bytes, byte_count);
    if (code != LATIMER_OK) return code;
    translator->last = {};
    return Give(translator, stream.Push({bytes, byte_count}));
  }
  latimer_code Finish() {
    translator->last = {};
    return Give(translator, stream.Finish());
  }

  latimer_translator* translator;
  Receiver receiver;
  void* context;
  Stream stream;
};

}  // namespace latimer

#endif  // LATIMER_LATIMER_C_H_
