#include "model/check_range.h"

#include "latimer/profile_config.h"

namespace latimer {

Status ExceedsProfile(const char* what, uint64_t value, uint32_t limit) {
  return Status::Error(
      StatusCode::kExceedsProfile,
      "The model's %s is %llu but profile \"%s\" of this build allows %u; "
      "build "
      "with a profile for this model (latimer-convert --profile).",
      what, static_cast<unsigned long long>(value), kProfile.name,
      static_cast<unsigned>(limit));
}

Status CheckRange(const char* what, uint64_t value, uint32_t limit) {
  if (value > limit) return ExceedsProfile(what, value, limit);
  if (value == 0) {
    return Status::Error(StatusCode::kCorrupt,
                         "The model is damaged: its %s is 0.", what);
  }
  return Status();
}

}  // namespace latimer
