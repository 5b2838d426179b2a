#include "converter/readers/license.h"

#include <filesystem>
#include <sstream>
#include <string_view>

#include "converter/error.h"
#include "converter/readers/text_file.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

// "" if there is no such file.
std::string ReadWholeFile(const fs::path& directory, const char* name) {
  const fs::path path = directory / name;
  if (!FileExists(path)) return "";
  // What a link leads to is copied into the model, which may be published. The
  // cache of huggingface_hub links to files in a folder of its own.
  const fs::path folder = fs::canonical(fs::canonical(path).parent_path());
  std::error_code ignored;
  if (folder != fs::canonical(directory.empty() ? "." : directory) &&
      !fs::equivalent(folder, directory / "../../blobs", ignored)) {
    FailIn(path,
           "a link out of the model's folder; replace it with the file itself, "
           "or remove it and use --license TEXT");
  }
  return ReadTextFile(path);
}

}  // namespace

std::string ReadLicense(const fs::path& directory) {
  for (const char* name : {"LICENSE", "LICENSE.txt", "LICENSE.md"}) {
    std::string text = ReadWholeFile(directory, name);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
      text.pop_back();
    }
    if (!text.empty()) return text;
  }
  std::istringstream card(ReadWholeFile(directory, "README.md"));
  std::string line;
  if (!std::getline(card, line) || line != "---") return "";
  constexpr std::string_view kKey = "license:";
  while (std::getline(card, line) && line != "---") {
    if (!line.starts_with(kKey)) continue;
    line.erase(0, kKey.size());
    const size_t begin = line.find_first_not_of(" \"'");
    const size_t end = line.find_last_not_of(" \"'\r");
    return begin == std::string::npos ? ""
                                      : line.substr(begin, end - begin + 1);
  }
  return "";
}

}  // namespace latimer
