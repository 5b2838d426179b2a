// Built with the profile of exactly one model: prints sizeof(Workspace), then
// one translation for each line of standard input.

#include <fstream>
#include <iostream>
#include <string>

#include "latimer/translator.h"

namespace {
alignas(64) std::byte image[64 << 20];
latimer::Workspace workspace;
}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  file.read(reinterpret_cast<char*>(image), sizeof(image));
  const auto bytes = static_cast<size_t>(file.gcount());
  latimer::Translator translator;
  const latimer::Status status = translator.Load({image, bytes}, &workspace);
  if (!status.ok()) {
    std::cerr << status.message() << "\n";
    return 1;
  }
  std::cout << sizeof(workspace) << "\n";
  for (std::string line; std::getline(std::cin, line);) {
    const auto result = translator.Translate(line);
    if (!result.ok()) {
      std::cerr << result.status().message() << "\n";
      return 1;
    }
    std::cout << result->text << "\n";
  }
  return 0;
}
