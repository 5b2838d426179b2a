// Built with the profile of exactly one model: prints sizeof(Workspace), then
// one translation for each line of standard input: of text, or of ids if the
// profile has no tokenizer.

#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

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
    std::istringstream numbers(line);
    const std::vector<int32_t> ids{std::istream_iterator<int32_t>(numbers), {}};
    const auto result = latimer::kProfile.tokenizer
                            ? translator.Translate(line)
                            : translator.TranslateIds(ids);
    if (!result.ok()) {
      std::cerr << result.status().message() << "\n";
      return 1;
    }
    std::cout << result->text;
    if (!latimer::kProfile.tokenizer) {
      for (const int32_t id : result->tokens) std::cout << id << " ";
    }
    std::cout << "\n";
  }
  return 0;
}
