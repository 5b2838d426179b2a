#include "converter/readers/text_file.h"

#include <fstream>
#include <iterator>

#include "converter/error.h"

namespace latimer {

std::string ReadTextFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad() || std::filesystem::is_directory(path)) {
    throw ConversionError(path.string() + ": cannot be read.");
  }
  return bytes;
}

}  // namespace latimer
