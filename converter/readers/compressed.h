// Files that are distributed compressed: Firefox's models are gzip or
// Zstandard, Marian's shortlists gzip.
#ifndef LATIMER_CONVERTER_READERS_COMPRESSED_H_
#define LATIMER_CONVERTER_READERS_COMPRESSED_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace latimer {

// Throws ConversionError, which says how to get the file itself, if its first
// bytes are those of gzip, of Zstandard, of a pointer of Git LFS or of a web
// page, whatever its name is.
void RefuseCompressed(const std::filesystem::path& path,
                      std::string_view begin);

// The name of the file that unpacking makes of NAME.gz or NAME.zst. Other names
// stay.
std::string UnpackedName(const std::filesystem::path& path);

// "gunzip lex.s2t.gz" for such a name.
std::string UnpackCommand(const std::filesystem::path& path);

// The bytes of gzip, unpacked: at most a GiB, so that a small file cannot fill
// the memory. Throws ConversionError if there are more, or if they are damaged.
bool IsGzip(std::span<const std::byte> bytes);
std::string Gunzip(std::span<const std::byte> bytes,
                   const std::filesystem::path& path);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_COMPRESSED_H_
