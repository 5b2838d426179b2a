#include "tests/fuzz/source_folder.h"

#include <system_error>

namespace latimer {

std::filesystem::path SourceFolder() {
  std::error_code none;
  const auto beside =
      std::filesystem::read_symlink("/proc/self/exe", none).parent_path() /
      "source";
  return std::filesystem::exists(beside, none)
             ? beside
             : std::filesystem::path(LATIMER_SOURCE_DIR);
}

}  // namespace latimer
