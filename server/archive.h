// Zip archives in memory, such as documents.
#ifndef LATIMER_SERVER_ARCHIVE_H_
#define LATIMER_SERVER_ARCHIVE_H_

#include <functional>
#include <string>
#include <string_view>

namespace latimer::server {

// Thrown with what is wrong with a document, as the rest of a sentence.
struct Damaged {
  std::string why;
};

struct ArchiveReader {
  std::function<bool(std::string_view name)> wants;
  // Is called before so many bytes are unpacked, and may throw.
  std::function<void(size_t)> on_size;
  // The bytes of a member that it wants; what it makes of them is copied.
  std::function<void(const std::string& name, std::string* bytes)> read;
};

// Reads the members of an archive in order. If `copy`, it becomes the archive
// with what the reader made of them; other members stay as they are, packed.
// Throws Damaged if the archive is damaged or encrypted, or has what documents
// never have, such as a name twice.
void ReadArchive(std::string_view archive, const ArchiveReader& reader,
                 std::string* copy);

}  // namespace latimer::server

#endif  // LATIMER_SERVER_ARCHIVE_H_
