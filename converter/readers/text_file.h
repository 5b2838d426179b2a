// Small text files, read at once.
#ifndef LATIMER_CONVERTER_READERS_TEXT_FILE_H_
#define LATIMER_CONVERTER_READERS_TEXT_FILE_H_

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace latimer {

// The bytes of a file that the user named, which may be a pipe. Throws
// ConversionError, with the system's reason, if it cannot be read. Compressed
// files are unpacked, here and below.
std::string ReadText(const std::filesystem::path& path);

// The bytes of a file that belongs to a model. Throws ConversionError if it
// cannot be read or is not a regular file: a FIFO would block, and a device has
// no end.
std::string ReadTextFile(const std::filesystem::path& path);

// Throws ConversionError if one of these files of a tokenizer cannot be opened;
// it says why, and that one can do without a tokenizer.
void RequireTokenizerFiles(const std::filesystem::path& folder,
                           std::initializer_list<const char*> names);

// At most 512 bytes that the file begins with; none if it cannot be read.
std::string FirstBytes(const std::filesystem::path& path);

// Whether there is such a file. Throws ConversionError if it is a link to a
// file that is not there, as a pruned cache of downloads leaves them.
bool FileExists(const std::filesystem::path& path);

// Throws ConversionError if `path` is such a link, a FIFO, a device or a
// socket.
void RequireRegularFile(const std::filesystem::path& path);

// The lines of a text, including empty ones, without their ends (\n or \r\n).
// They view `text`.
std::vector<std::string_view> SplitLines(std::string_view text);

// The lines of ReadText, as above.
std::vector<std::string> ReadLines(const std::filesystem::path& path);

// The same of a text that is to be translated. Throws ConversionError if it is
// not UTF-8 or has nothing but white space.
std::vector<std::string> ReadSourceLines(const std::filesystem::path& path);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_TEXT_FILE_H_
