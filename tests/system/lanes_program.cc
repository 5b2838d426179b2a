// Translates in several lanes with caches for one long sentence:
//   lanes_program MODEL.ltm MIN_TARGET_TOKENS
// Standard input: source ids, one sentence a line. Translates them one by one
// and side by side, and prints the number of sentences that get the same tokens
// in both ways and in the callback.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "internals.h"
#include "latimer/translator.h"

namespace {

alignas(64) std::byte image[64 << 20];
latimer::Workspace workspace;

using Ids = std::vector<int32_t>;

bool Tell(void* told, size_t index, int32_t token) {
  auto* ids = static_cast<Ids*>(told);
  if (index == ids->size()) ids->push_back(token);
  return true;
}

int Fail(const latimer::Status& status) {
  std::cerr << status.message() << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  file.read(reinterpret_cast<char*>(image), sizeof(image));
  const std::span<const std::byte> model(image,
                                         static_cast<size_t>(file.gcount()));
  latimer::ModelDescription info;
  latimer::Status status = latimer::ReadModelInfo(
      model, /*verify_checksum=*/true, &workspace, &info);
  if (!status.ok()) return Fail(status);
  constexpr latimer::LoadOptions kLanes = {.lanes = 6};
  // The least that a translator with these lanes takes.
  const std::span memory(reinterpret_cast<std::byte*>(&workspace),
                         latimer::PlanWorkspace(info, kLanes).bytes);
  latimer::Translator translator;
  status = translator.Load(model, memory, kLanes);
  if (!status.ok()) return Fail(status);
  latimer::TranslateOptions options;
  options.min_target_tokens = static_cast<uint32_t>(std::atoi(argv[2]));

  std::vector<Ids> sources, expected;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream numbers(line);
    sources.emplace_back(std::istream_iterator<int32_t>(numbers),
                         std::istream_iterator<int32_t>());
    const auto result = translator.TranslateIds(sources.back(), options);
    if (!result.ok()) return Fail(result.status());
    expected.emplace_back(result->tokens.begin(), result->tokens.end());
  }
  std::vector<Ids> told(sources.size());
  options.on_token = Tell;
  size_t begun = 0, same = 0;
  while (begun < sources.size() || translator.under_way() > 0) {
    while (begun < sources.size() && translator.CanBegin()) {
      options.token_context = &told[begun];
      const latimer::Status begin =
          translator.BeginIds(sources[begun], options, begun);
      if (!begin.ok()) return Fail(begin);
      ++begun;
    }
    latimer::FinishedTranslation finished;
    if (!translator.Advance(&finished)) continue;
    if (!finished.status.ok()) return Fail(finished.status);
    const auto& tokens = finished.translation.tokens;
    const Ids ids(tokens.begin(), tokens.end());
    if (ids == expected[finished.ticket] && ids == told[finished.ticket]) {
      ++same;
    }
  }
  std::cout << same << "\n";
  return 0;
}
