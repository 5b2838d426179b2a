// Runs the decoder over given targets and prints a hash of all logits' bits:
//   same_logits_program MODEL.ltm [CPU]
// Standard input: "source ids|target ids", one sentence a line.

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "latimer/translator.h"
#include "search/choose.h"
#include "transformer/network.h"

namespace latimer {
namespace {

alignas(64) std::byte image[64 << 20];
Workspace workspace;
Engine engine;

std::vector<int32_t> ReadIds(const std::string& text) {
  std::istringstream words(text);
  std::vector<int32_t> ids;
  for (int32_t id; words >> id;) ids.push_back(id);
  return ids;
}

// FNV-1a of the logits of every step.
uint64_t HashLogits(uint64_t hash, const std::vector<int32_t>& source,
                    const std::vector<int32_t>& target) {
  SentenceCaches caches;
  caches.cross_kv = Buffers(workspace).cross_kv.data();
  caches.self_kv = Buffers(workspace).self_kv.data();
  caches.source_tokens = source.size();
  caches.self_rows = kProfile.target_tokens;
  Trace trace;
  const StepContext step = {engine, workspace, trace};
  EncodeSource(step, source, caches);
  int32_t token = engine.model.info.generation.decoder_start;
  for (size_t i = 0; i < target.size(); ++i) {
    const DecoderRow row = {&caches, token, static_cast<uint32_t>(i)};
    const DecoderOutput output = StepDecoder(step, {&row, 1});
    ComputeLogits(engine, MakeLinearInput(step, output.x, 1, output.columns),
                  {}, Buffers(workspace).logits);
    for (uint32_t v = 0; v < engine.architecture().target_vocabulary; ++v) {
      uint32_t bits;
      __builtin_memcpy(&bits, &Buffers(workspace).logits[v], sizeof(bits));
      hash = (hash ^ bits) * 1099511628211u;
    }
    token = target[i];
  }
  return hash;
}

int Main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  file.read(reinterpret_cast<char*>(image), sizeof(image));
  const auto bytes = static_cast<size_t>(file.gcount());
  const Status status = LoadEngine(
      {image, bytes}, {.cpu = argc > 2 ? argv[2] : nullptr}, &engine);
  if (!status.ok()) {
    std::cerr << status.message() << "\n";
    return 1;
  }
  uint64_t hash = 14695981039346656037u;
  for (std::string line; std::getline(std::cin, line);) {
    const size_t bar = line.find('|');
    hash = HashLogits(hash, ReadIds(line.substr(0, bar)),
                      ReadIds(line.substr(bar + 1)));
  }
  std::cout << std::hex << hash << "\n";
  return 0;
}

}  // namespace
}  // namespace latimer

int main(int argc, char** argv) { return latimer::Main(argc, argv); }
