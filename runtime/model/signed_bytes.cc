// Where a signed file ends. The signature itself is checked in signature/.

#include <cstring>

#include "latimer/signature.h"
#include "model/model_file.h"

namespace latimer {

Result<std::span<const std::byte>> SignedBytes(
    std::span<const std::byte> image) {
  size_t bytes = 0;
  LATIMER_RETURN_IF_ERROR(FindFileBytes(image, &bytes));
  if (image.size() - bytes >= kSignatureEndBytes &&
      std::memcmp(image.data() + bytes, kSignatureMark.data(),
                  kSignatureMark.size()) == 0) {
    return image.first(bytes + kSignatureEndBytes);
  }
  return Status::Error(StatusCode::kCorrupt,
                       "The model is not signed: no signature follows its %zu "
                       "bytes; sign it with latimer-convert --sign.",
                       bytes);
}

}  // namespace latimer
