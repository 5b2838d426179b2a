// Status and Result: how every function of Latimer that can fail reports
// errors.
//
// Nothing here allocates: a Status holds its sentence in a fixed buffer.
#ifndef LATIMER_STATUS_H_
#define LATIMER_STATUS_H_

#include <cstddef>
#include <cstdint>
#include <utility>

namespace latimer {

// What is wrong.
enum class StatusCode : uint8_t {
  kOk = 0,
  kInvalidArgument,      // The caller passed something the contract forbids.
  kFailedPrecondition,   // The call came too early, e.g. before Load.
  kNotAModel,            // The bytes are not a Latimer model.
  kTruncated,            // The model is shorter than it says.
  kCorrupt,              // Structure, checksum or a value is damaged.
  kUnsupportedVersion,   // Written for another version of the format.
  kExceedsProfile,       // Exceeds a bound or a feature of this profile.
  kTileNotInBuild,       // Packed for kernels that this build lacks.
  kUnsupportedCpu,       // The CPU lacks what the build needs.
  kTextTooLong,          // The result does not fit into the buffer.
  kResourceUnavailable,  // The system refused a thread or a file.
};

// The name of a code, such as "NOT_A_MODEL", for logs and tables; "UNKNOWN" for
// one of a newer library.
constexpr const char* NameOf(StatusCode code) {
  constexpr const char* kNames[] = {"OK",
                                    "INVALID_ARGUMENT",
                                    "FAILED_PRECONDITION",
                                    "NOT_A_MODEL",
                                    "TRUNCATED",
                                    "CORRUPT",
                                    "UNSUPPORTED_VERSION",
                                    "EXCEEDS_PROFILE",
                                    "TILE_NOT_IN_BUILD",
                                    "UNSUPPORTED_CPU",
                                    "TEXT_TOO_LONG",
                                    "RESOURCE_UNAVAILABLE"};
  const auto place = static_cast<size_t>(code);
  return place < sizeof(kNames) / sizeof(*kNames) ? kNames[place] : "UNKNOWN";
}

// A code and, for an error, one sentence: what is wrong, where, what to do.
class [[nodiscard]] Status {
 public:
  // Of a message, with its terminating zero.
  static constexpr size_t kMaxMessageBytes = 400;

  constexpr Status() = default;

  // Formats like printf; cuts the sentence after kMaxMessageBytes - 1 bytes.
  [[gnu::format(printf, 2, 3)]] static Status Error(StatusCode code,
                                                    const char* format, ...);

  // Whether there is no error.
  constexpr bool ok() const { return code_ == StatusCode::kOk; }
  constexpr StatusCode code() const { return code_; }
  // Zero-terminated, empty when ok. Lives as long as this object.
  constexpr const char* message() const { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  char message_[kMaxMessageBytes] = {};
};

// Either a T or the Status that says why there is none. T is trivially
// destructible: a span, view, number or small struct.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT(*explicit*)
  // By reference: a Status of its own would lie on the caller's stack.
  Result(const Status& status) : status_(status) {}  // NOLINT(*explicit*)

  // Whether there is a value.
  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  // Precondition: ok().
  const T& value() const { return value_; }
  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  const T* operator->() const { return &value_; }

 private:
  Status status_;
  T value_{};
};

}  // namespace latimer

// Returns from the enclosing function if `expression` is an error Status.
#define LATIMER_RETURN_IF_ERROR(expression)               \
  do {                                                    \
    if (::latimer::Status latimer_status_ = (expression); \
        !latimer_status_.ok()) {                          \
      return latimer_status_;                             \
    }                                                     \
  } while (false)

#endif  // LATIMER_STATUS_H_
