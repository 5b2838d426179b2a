#include "converter/readers/zip_file.h"

#include <unzip.h>

#include <array>
#include <limits>
#include <memory>

#include "converter/error.h"

namespace latimer {
namespace {

constexpr char kCopyAgain[] = "; copy or download it again";
constexpr uLong kEncrypted = 1;
// The best ratio that deflate can reach.
constexpr uint64_t kMaxRatio = 1032;

// Whether `from` is a whole deflate stream of exactly to.size() bytes.
bool Inflate(std::span<const std::byte> from, std::span<std::byte> to) {
  constexpr size_t kMax = std::numeric_limits<uInt>::max();
  if (from.size() > kMax || to.size() >= kMax) return false;
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  stream.next_in =
      reinterpret_cast<Bytef*>(const_cast<std::byte*>(from.data()));
  stream.avail_in = static_cast<uInt>(from.size());
  Bytef none;
  stream.next_out = to.empty() ? &none : reinterpret_cast<Bytef*>(to.data());
  stream.avail_out = static_cast<uInt>(to.size());
  const int result = inflate(&stream, Z_FINISH);
  const bool whole = result == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return whole;
}

}  // namespace

ZipFile::ZipFile(const std::filesystem::path& path) : path_(path), file_(path) {
  if (file_.compressed()) {  // The directory is read from the file itself.
    FailIn(path_,
           "is a zip file that is compressed once more; unpack it first");
  }
  ReadDirectory();
  uint64_t total = 0;
  for (const auto& [name, entry] : entries_) {
    if (__builtin_add_overflow(total, entry.stored.size(), &total) ||
        total > file_.bytes().size()) {
      FailIn(path_, "its zip entries overlap");
    }
  }
}

void ZipFile::ReadDirectory() {
  const std::unique_ptr<void, int (*)(unzFile)> zip(unzOpen64(path_.c_str()),
                                                    unzClose);
  if (zip == nullptr) {
    FailIn(path_, "the zip directory at its end is missing or damaged",
           kCopyAgain);
  }
  int status = unzGoToFirstFile(zip.get());
  for (; status == UNZ_OK; status = unzGoToNextFile(zip.get())) {
    unz_file_info64 info;
    std::array<char, 1024> name_bytes;
    status = unzGetCurrentFileInfo64(zip.get(), &info, name_bytes.data(),
                                     name_bytes.size(), nullptr, 0, nullptr, 0);
    if (status != UNZ_OK || info.size_filename >= name_bytes.size()) {
      status = UNZ_BADZIPFILE;
      break;
    }
    const std::string name(name_bytes.data(), info.size_filename);
    if ((info.flag & kEncrypted) != 0) {
      FailIn(path_, "entry ", Printable(name), " is encrypted");
    }
    if (info.compression_method != 0 && info.compression_method != Z_DEFLATED) {
      FailIn(path_, "entry ", Printable(name),
             " is compressed by another method than deflate");
    }
    status = unzOpenCurrentFile2(zip.get(), nullptr, nullptr, /*raw=*/1);
    if (status != UNZ_OK) {
      FailIn(path_, "the header of entry ", Printable(name), " is damaged",
             kCopyAgain);
    }
    const uint64_t offset = unzGetCurrentFileZStreamPos64(zip.get());
    unzCloseCurrentFile(zip.get());
    const std::span<const std::byte> bytes = file_.bytes();
    if (offset > bytes.size() || info.compressed_size > bytes.size() - offset) {
      FailIn(path_, "entry ", Printable(name), " lies outside the file",
             kCopyAgain);
    }
    const bool deflated = info.compression_method == Z_DEFLATED;
    if (deflated ? info.uncompressed_size / kMaxRatio > info.compressed_size
                 : info.uncompressed_size != info.compressed_size) {
      FailIn(path_, "the sizes of entry ", Printable(name),
             " contradict each other", kCopyAgain);
    }
    const Entry entry{.size = info.uncompressed_size,
                      .stored = bytes.subspan(offset, info.compressed_size),
                      .crc = static_cast<uint32_t>(info.crc),
                      .deflated = deflated};
    if (!entries_.emplace(name, entry).second) {
      FailIn(path_, "has two entries named ", Printable(name));
    }
  }
  if (status != UNZ_END_OF_LIST_OF_FILE) {
    FailIn(path_, "its zip directory is damaged", kCopyAgain);
  }
}

std::span<const std::byte> ZipFile::Read(const std::string& name) {
  if (const auto done = read_.find(name); done != read_.end()) {
    return done->second;
  }
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    FailIn(path_, "entry ", Printable(name), " is missing", kCopyAgain);
  }
  const Entry& entry = found->second;
  std::span<const std::byte> bytes = entry.stored;
  bool good = true;
  if (entry.deflated) {
    std::vector<std::byte>& buffer = inflated_.emplace_back(entry.size);
    good = Inflate(entry.stored, buffer);
    bytes = buffer;
  }
  // torch.save writes 0 if it was asked not to compute checksums
  // (torch.serialization.set_crc32_options).
  good = good && (entry.crc == 0 ||
                  crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()),
                          bytes.size()) == entry.crc);
  if (!good) {
    FailIn(path_, "entry ", Printable(name),
           " is damaged: its checksum differs", kCopyAgain);
  }
  if (!entry.deflated) file_.Forget(bytes);  // The checksum read all of them.
  read_.emplace(name, bytes);
  return bytes;
}

const InputFile* ZipFile::FileOf(std::span<const std::byte> bytes) const {
  const std::byte* begin = file_.bytes().data();
  const std::byte* end = begin + file_.bytes().size();
  return bytes.data() >= begin && bytes.data() < end ? &file_ : nullptr;
}

}  // namespace latimer
