#include "archive.h"

#include <unzip.h>
#include <zip.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <set>
#include <vector>

namespace latimer::server {
namespace {

constexpr size_t kMostMembers = 10'000;
constexpr uint64_t kMostText = uint64_t{64} << 20;  // Bytes, unpacked.
constexpr size_t kMostNameBytes = 1000;
constexpr uLong kEncrypted = 1, kUtf8Name = 0x800;

// What minizip takes for a file; it reads a view, or writes a string.
struct Memory {
  std::string_view in;
  std::string* out = nullptr;
  size_t at = 0;

  size_t size() const { return out == nullptr ? in.size() : out->size(); }
};

uLong ReadBytes(void*, void* stream, void* to, uLong bytes) {
  Memory& memory = *static_cast<Memory*>(stream);
  const std::string_view all = memory.out ? *memory.out : memory.in;
  const size_t count = std::min<size_t>(bytes, all.size() - memory.at);
  if (count > 0) std::memcpy(to, all.data() + memory.at, count);
  memory.at += count;
  return count;
}

uLong WriteBytes(void*, void* stream, const void* from, uLong bytes) {
  Memory& memory = *static_cast<Memory*>(stream);
  try {
    memory.out->resize(std::max(memory.size(), memory.at + bytes));
  } catch (const std::exception&) {  // None can pass through C.
    return 0;
  }
  std::memcpy(memory.out->data() + memory.at, from, bytes);
  memory.at += bytes;
  return bytes;
}

long Seek(void*, void* stream, ZPOS64_T offset, int origin) {
  Memory& memory = *static_cast<Memory*>(stream);
  const size_t from = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                      : origin == ZLIB_FILEFUNC_SEEK_CUR ? memory.at
                                                         : memory.size();
  if (offset > memory.size() - from) return -1;
  memory.at = from + offset;
  return 0;
}

zlib_filefunc64_def FunctionsOf(Memory* memory) {
  return {.zopen64_file = [](void* opaque, const void*, int) { return opaque; },
          .zread_file = ReadBytes,
          .zwrite_file = WriteBytes,
          .ztell64_file = [](void*, void* stream) -> ZPOS64_T {
            return static_cast<Memory*>(stream)->at;
          },
          .zseek64_file = Seek,
          .zclose_file = [](void*, void*) { return 0; },
          .zerror_file = [](void*, void*) { return 0; },
          .opaque = memory};
}

void Check(int status, const std::string& name) {
  if (status != UNZ_OK) throw Damaged{name + " in it is damaged"};
}

struct Member {
  std::string name;
  unz_file_info64 info;
};

Member CurrentMember(unzFile from) {
  Member member;
  member.name.resize(kMostNameBytes);
  const int status =
      unzGetCurrentFileInfo64(from, &member.info, member.name.data(),
                              member.name.size(), nullptr, 0, nullptr, 0);
  if (status != UNZ_OK || member.info.size_filename > kMostNameBytes) {
    throw Damaged{"the list of what is in it is damaged"};
  }
  member.name.resize(member.info.size_filename);
  const std::string& name = member.name;
  const auto leads_out = ("/" + name + "/").find("/../") != name.npos;
  if (name.starts_with('/') || leads_out || name.find('\0') != name.npos) {
    throw Damaged{"a name in it leads out of it"};
  }
  const uLong method = member.info.compression_method;
  if ((member.info.flag & kEncrypted) != 0 ||
      (method != 0 && method != Z_DEFLATED)) {
    throw Damaged{name + " in it is encrypted, or packed in a rare way"};
  }
  return member;
}

std::string Unpacked(unzFile from, const Member& member) {
  Check(unzOpenCurrentFile(from), member.name);
  std::string bytes(member.info.uncompressed_size, '\0');
  char more;
  const bool whole = unzReadCurrentFile(from, bytes.data(),
                                        static_cast<unsigned>(bytes.size())) ==
                         static_cast<int>(bytes.size()) &&
                     unzReadCurrentFile(from, &more, 1) == 0;
  const int status = unzCloseCurrentFile(from);  // Compares the checksum.
  Check(whole ? status : UNZ_BADZIPFILE, member.name);
  return bytes;
}

void Begin(zipFile to, const Member& member, bool raw) {
  const zip_fileinfo info = {.tmz_date = {},
                             .dosDate = member.info.dosDate,
                             .internal_fa = member.info.internal_fa,
                             .external_fa = member.info.external_fa};
  Check(zipOpenNewFileInZip4_64(
            to, member.name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr,
            static_cast<int>(member.info.compression_method),
            Z_DEFAULT_COMPRESSION, raw ? 1 : 0, -MAX_WBITS, MAX_MEM_LEVEL,
            Z_DEFAULT_STRATEGY, nullptr, 0, member.info.version,
            member.info.flag & kUtf8Name, 0),
        member.name);
}

void Write(zipFile to, const Member& member, const std::string& bytes) {
  Begin(to, member, /*raw=*/false);
  Check(zipWriteInFileInZip(to, bytes.data(),
                            static_cast<unsigned>(bytes.size())),
        member.name);
  Check(zipCloseFileInZip(to), member.name);
}

// As it is packed.
void Copy(unzFile from, const Member& member, zipFile to) {
  int method, level;
  Check(unzOpenCurrentFile2(from, &method, &level, /*raw=*/1), member.name);
  Begin(to, member, /*raw=*/true);
  std::vector<char> some(size_t{16} << 10);
  uint64_t left = member.info.compressed_size;
  while (left > 0) {
    const int count = unzReadCurrentFile(from, some.data(),
                                         static_cast<unsigned>(some.size()));
    Check(count > 0 ? UNZ_OK : UNZ_BADZIPFILE, member.name);
    Check(zipWriteInFileInZip(to, some.data(), static_cast<unsigned>(count)),
          member.name);
    left -= static_cast<uint64_t>(count);
  }
  Check(zipCloseFileInZipRaw64(to, member.info.uncompressed_size,
                               member.info.crc),
        member.name);
  unzCloseCurrentFile(from);
}

}  // namespace

void ReadArchive(std::string_view archive, const ArchiveReader& reader,
                 std::string* copy) {
  Memory in{.in = archive}, out{.in = {}, .out = copy};
  zlib_filefunc64_def functions = FunctionsOf(&in);
  const std::unique_ptr<void, int (*)(unzFile)> from(
      unzOpen2_64(nullptr, &functions), unzClose);
  if (from == nullptr) throw Damaged{"it is not a zip file, or not all of it"};
  functions = FunctionsOf(&out);
  std::unique_ptr<void, int (*)(zipFile)> to(
      copy == nullptr
          ? nullptr
          : zipOpen2_64(nullptr, APPEND_STATUS_CREATE, nullptr, &functions),
      [](zipFile file) { return zipClose(file, nullptr); });

  std::set<std::string> names;
  uint64_t packed = 0, unpacked = 0;
  int status = unzGoToFirstFile(from.get());
  for (; status == UNZ_OK; status = unzGoToNextFile(from.get())) {
    const Member member = CurrentMember(from.get());
    if (!names.insert(member.name).second || names.size() > kMostMembers) {
      throw Damaged{"it has a name twice, or more than " +
                    std::to_string(kMostMembers) + " files"};
    }
    if (member.info.compressed_size > archive.size() - packed) {
      throw Damaged{member.name + " in it lies outside of it"};
    }
    packed += member.info.compressed_size;
    if (reader.wants(member.name)) {
      if (member.info.uncompressed_size > kMostText - unpacked) {
        throw Damaged{"it has more than 64 MiB of text"};
      }
      unpacked += member.info.uncompressed_size;
      reader.on_size(member.info.uncompressed_size);
      std::string bytes = Unpacked(from.get(), member);
      reader.read(member.name, &bytes);
      if (to != nullptr) Write(to.get(), member, bytes);
    } else if (to != nullptr) {
      Copy(from.get(), member, to.get());
    }
  }
  if (status != UNZ_END_OF_LIST_OF_FILE) {
    throw Damaged{"the list of what is in it is damaged"};
  }
  if (to != nullptr) Check(zipClose(to.release(), nullptr), "the end");
}

}  // namespace latimer::server
