// Built with the profile of exactly one model: prints sizeof(Workspace), then
// one translation for each line of standard input: of text, or of ids if the
// profile has no tokenizer. With the word info it reads what the model is and
// prints the workspace that it needs, and fails if more than the memory for
// that was written.

#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "latimer/hosted_model.h"
#include "latimer/plan.h"
#include "latimer/translator.h"

namespace {

latimer::Workspace workspace;

struct {
  latimer::InfoScratch scratch;
  std::byte after[1 << 20];
} memory;

int PrintInfo(std::span<const std::byte> image) {
  latimer::ModelInfo info;
  const latimer::Status status =
      latimer::ReadModelInfo(image, true, &memory.scratch, &info);
  for (const std::byte byte : memory.after) {
    if (byte != std::byte{0}) return 3;
  }
  if (!status.ok()) {
    std::cerr << status.message() << "\n";
    return 1;
  }
  const auto plan =
      latimer::PlanWorkspace(image, {.lanes = 1}, &memory.scratch);
  if (!plan.ok()) return 1;
  std::cout << plan->bytes << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  latimer::MappedFile file;
  latimer::Status status = file.Open(argv[1]);
  if (status.ok() && argc == 3) return PrintInfo(file.bytes());
  latimer::Translator translator;
  if (status.ok()) status = translator.Load(file.bytes(), &workspace);
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
