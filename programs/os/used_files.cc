#include "os/used_files.h"

#include <optional>
#include <string_view>
#include <vector>

#include "os/system.h"

namespace latimer::cli {
namespace {

// Where a file is, or is going to be.
struct Place {
  FileId id;         // Of the file, else of its folder.
  std::string name;  // In that folder.

  bool operator==(const Place&) const = default;
};

// Nothing if the file is not regular, or cannot be one.
std::optional<Place> PlaceOf(const UsedFile& file) {
  FileId id;
  if (file.path == nullptr) {
    if (!IdentifyStream(file.stream, &id) || !id.regular) return std::nullopt;
    return Place{id, ""};
  }
  if (IdentifyFile(file.path, &id)) {
    return id.regular ? std::optional(Place{id, ""}) : std::nullopt;
  }
  const std::string path = file.path;
  const size_t slash = path.find_last_of(kPathSeparators);
  const std::string folder =
      slash == path.npos ? "." : path.substr(0, slash + 1);
  if (!IdentifyFile(folder.c_str(), &id)) return std::nullopt;
  return Place{id, path.substr(slash == path.npos ? 0 : slash + 1)};
}

std::string NameOf(const UsedFile& file) {
  if (file.path == nullptr) {
    return file.stream == 0 ? "standard input" : "standard output";
  }
  return file.by.empty() ? file.path : file.by + " " + file.path;
}

std::string Sentence(const UsedFile& written, const UsedFile& other) {
  const std::string begin = NameOf(written) + " would overwrite ";
  const std::string end = "; name another file";
  if (other.path == nullptr) {
    return begin + "the file of " + NameOf(other) + end;
  }
  if (other.written) return begin + NameOf(other) + end;
  if (other.by.empty()) return begin + other.path + ", which is read" + end;
  return begin + other.path + ", which " + other.by + " reads" + end;
}

}  // namespace

std::string RefuseToOverwrite(std::span<const UsedFile> files) {
  std::vector<std::optional<Place>> places;
  places.reserve(files.size());
  for (const UsedFile& file : files) places.push_back(PlaceOf(file));
  for (size_t i = 0; i < files.size(); ++i) {
    if (!files[i].written || !places[i]) continue;
    for (size_t j = 0; j < files.size(); ++j) {
      // Of two that are written, the first comes first.
      const bool seen = files[j].written && j <= i;
      if (!seen && places[j] == places[i]) return Sentence(files[i], files[j]);
    }
  }
  return "";
}

}  // namespace latimer::cli
