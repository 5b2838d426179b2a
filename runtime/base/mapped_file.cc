#include "base/file_mapping.h"
#include "latimer/hosted_model.h"

namespace latimer {

Status NotMapped(const char* path, const char* why) {
  return Status::Error(StatusCode::kResourceUnavailable,
                       "%s: cannot map the model, because %s.", path, why);
}

Status NotMapped(const char* path, uint64_t error) {
  return Status::Error(StatusCode::kResourceUnavailable,
                       "%s: cannot map the model (error %llu of the system).",
                       path, static_cast<unsigned long long>(error));
}

Status MapFile(const char* path, std::span<const std::byte>* bytes) {
  if (path != nullptr) return MapPath(path, bytes);
  return Status::Error(StatusCode::kInvalidArgument,
                       "The path of the model is null; give one.");
}

MappedFile::~MappedFile() { UnmapFile(bytes_); }

Status MappedFile::Open(const char* path) {
  UnmapFile(bytes_);
  bytes_ = {};
  return MapFile(path, &bytes_);
}

}  // namespace latimer
