// Files that are distributed compressed, as Firefox's models are with gzip or
// Zstandard: they are read as they are.
#ifndef LATIMER_CONVERTER_READERS_COMPRESSED_H_
#define LATIMER_CONVERTER_READERS_COMPRESSED_H_

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace latimer {

// Whether bytes begin as gzip or Zstandard do. A header of safetensors may have
// a length that begins as gzip does.
bool IsCompressed(std::string_view begin);

// The unpacked bytes. Throws ConversionError if they are damaged or end early,
// and if they are a GiB or a hundred times what is packed, so that a small file
// cannot fill the memory. Precondition: IsCompressed(bytes).
std::string Unpack(std::string_view bytes, const std::filesystem::path& path);

// The first `size` bytes, or fewer, of the file that begins with `bytes`.
// Nothing of what is damaged.
std::string UnpackBegin(std::string_view bytes, size_t size);

// The name of the file that unpacking makes of NAME.gz or NAME.zst. Other names
// stay.
std::string UnpackedName(const std::filesystem::path& path);

// "gunzip model.npz.gz" for such a name.
std::string UnpackCommand(const std::filesystem::path& path);

// `path`, or else the file NAME.gz or NAME.zst that is there.
std::optional<std::filesystem::path> FindPacked(
    const std::filesystem::path& path);

// Throws ConversionError if the file is not itself what its name says: an
// archive of several files, a pointer of Git LFS or a web page. `begin` is what
// it begins with.
void RefuseStandIns(const std::filesystem::path& path, std::string_view begin);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_COMPRESSED_H_
