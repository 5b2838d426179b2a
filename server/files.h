// Files to translate: their texts and back, and those that wait to be fetched.
#ifndef LATIMER_SERVER_FILES_H_
#define LATIMER_SERVER_FILES_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job.h"

namespace latimer::server {

// kSubtitles: SubRip and WebVTT. The lines of a speaker in a cue are one text.
// Documents: .docx and .pptx, .odt and .odp, .epub.
enum class FileFormat : uint8_t {
  kText,
  kHtml,
  kSubtitles,
  kOfficeOpen,
  kOpenDocument,
  kBook
};

// By the end of its name, whatever its case. HTML and documents only if the
// profile has alignments.
std::optional<FileFormat> FileFormatOf(std::string_view name);
// The ends of names that it knows: ".txt", ....
std::vector<std::string> FileEndings();

// The texts of a file, in order. Throws Damaged, as does the next function.
std::vector<FileText> TextsOf(FileFormat format, std::string_view file,
                              const OnGrowth& on_growth = {});
// The file with a translation in place of each text.
std::string WithTranslations(FileFormat format, std::string_view file,
                             const std::vector<std::string>& translations);

// The name without folders, and with letters, digits and "._-" only.
std::string SafeFileName(std::string_view name);

// Translated files that clients have not fetched for half an hour at most. If
// they, their names and what keeps them have more bytes than `most_bytes`, the
// oldest are dropped.
class FileStore {
 public:
  explicit FileStore(size_t most_bytes) : most_bytes_(most_bytes) {}

  // Returns a name that cannot be guessed, which ends with `name`. A file that
  // is larger than all of the store is refused with "".
  std::string Keep(const std::string& name, std::string bytes);
  std::optional<std::string> Find(const std::string& name);

 private:
  using Clock = std::chrono::steady_clock;
  struct File {
    std::string bytes;
    Clock::time_point until;
  };
  using Files = std::map<std::string, File>;  // By name.

  void DropOldest();

  const size_t most_bytes_;
  std::mutex mutex_;
  Files files_;
  std::deque<Files::iterator> by_age_;  // The oldest first.
  size_t bytes_ = 0;
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_FILES_H_
