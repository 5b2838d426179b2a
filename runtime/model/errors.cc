#include "model/errors.h"

#include "latimer/profile_config.h"

namespace latimer {

Status Damaged(const char* subject, const char* what) {
  return Status::Error(StatusCode::kCorrupt,
                       "The model is damaged: %s %s; convert it again.",
                       subject, what);
}

Status LeftOut(const char* subject, const char* what) {
  return Status::Error(StatusCode::kExceedsProfile,
                       "The model%s %s, which profile \"%s\" of this build "
                       "leaves out; build with a profile for this model "
                       "(latimer-convert --profile).",
                       subject, what, kProfile.name);
}

Status ExceedsProfile(const char* what, uint64_t value, uint32_t limit) {
  return Status::Error(
      StatusCode::kExceedsProfile,
      "The model's %s is %llu, but profile \"%s\" of this build allows %u; "
      "build with a profile for this model (latimer-convert --profile).",
      what, static_cast<unsigned long long>(value), kProfile.name,
      static_cast<unsigned>(limit));
}

Status CheckSizes(std::initializer_list<Size> sizes) {
  for (const Size& size : sizes) {
    if (size.value > size.limit) {
      return ExceedsProfile(size.what, size.value, size.limit);
    }
    if (size.value == 0) {
      return Status::Error(StatusCode::kCorrupt,
                           "The model is damaged: its %s is 0; convert it "
                           "again.",
                           size.what);
    }
  }
  return Status();
}

}  // namespace latimer
