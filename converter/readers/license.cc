#include "converter/readers/license.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

namespace latimer {
namespace {

namespace fs = std::filesystem;

std::string ReadWholeFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string ReadLicense(const fs::path& directory) {
  for (const char* name : {"LICENSE", "LICENSE.txt", "LICENSE.md"}) {
    std::string text = ReadWholeFile(directory / name);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
      text.pop_back();
    }
    if (!text.empty()) return text;
  }
  std::istringstream card(ReadWholeFile(directory / "README.md"));
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
