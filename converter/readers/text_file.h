// Reads small files whole.
#ifndef LATIMER_CONVERTER_READERS_TEXT_FILE_H_
#define LATIMER_CONVERTER_READERS_TEXT_FILE_H_

#include <filesystem>
#include <string>

namespace latimer {

// The bytes of the file. Throws ConversionError when it cannot be read.
std::string ReadTextFile(const std::filesystem::path& path);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_TEXT_FILE_H_
