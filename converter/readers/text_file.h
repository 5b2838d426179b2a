// Small text files, read at once.
#ifndef LATIMER_CONVERTER_READERS_TEXT_FILE_H_
#define LATIMER_CONVERTER_READERS_TEXT_FILE_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace latimer {

// The bytes of the file. Throws ConversionError if it cannot be read.
std::string ReadTextFile(const std::filesystem::path& path);

// The lines of a text, including empty ones, without their ends (\n or \r\n).
// They view `text`.
std::vector<std::string_view> SplitLines(std::string_view text);

// The lines of a file, as above. Throws ConversionError if it cannot be read.
std::vector<std::string> ReadLines(const std::filesystem::path& path);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_TEXT_FILE_H_
