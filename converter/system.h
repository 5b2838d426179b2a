// What InputFile and OutputFile ask of the operating system. system.cc is for
// POSIX, windows/system.cc for Windows. A function that fails sets errno.
#ifndef LATIMER_CONVERTER_SYSTEM_H_
#define LATIMER_CONVERTER_SYSTEM_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace latimer {

// A descriptor, or -1. Does not wait for the writer of a FIFO.
int OpenToRead(const std::filesystem::path& path);

// Creates a file and locks it while it is open, which shows that its owner is
// alive. Returns its descriptor, or -1; EEXIST if there is such a file.
int CreateLocked(const std::filesystem::path& path);

// Removes a file of CreateLocked whose owner was killed.
void RemoveIfLeftBehind(const std::filesystem::path& path);

// Gives an empty file that many zero bytes on the disk. Returns errno, or 0.
int AllocateFile(int file, uint64_t bytes);

// Waits until the file is on the disk. Returns whether it is.
bool SyncFile(int file);

// The same of the names in a folder, such as that of a file that was renamed;
// as far as the system can.
void SyncFolder(const std::filesystem::path& folder);

// Maps a whole file, to read it or also to write it; null if it cannot.
std::byte* MapBytes(int file, size_t bytes, bool write);
void UnmapBytes(const std::byte* bytes, size_t size);

// Drops the pages of these bytes, which were mapped to be read, from this
// process's memory.
void ForgetPages(const std::byte* bytes, size_t size);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_SYSTEM_H_
