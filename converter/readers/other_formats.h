// Models in formats that the converter does not read.
#ifndef LATIMER_CONVERTER_READERS_OTHER_FORMATS_H_
#define LATIMER_CONVERTER_READERS_OTHER_FORMATS_H_

#include <filesystem>

namespace latimer {

// Throws ConversionError, which says what to do, if there is nothing at `path`,
// or a model of ONNX, GGUF, TensorFlow or Flax and no weights that the
// converter reads, or weights that are still compressed. The name of a model on
// the Hugging Face Hub is answered with the command that downloads it.
void RefuseOtherFormats(const std::filesystem::path& path);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_OTHER_FORMATS_H_
