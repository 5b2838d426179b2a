// Runs a fuzz target over files and folders of inputs without libFuzzer: the
// regression corpus is part of every build's tests.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

size_t Replay(const std::filesystem::path& path) {
  size_t inputs = 0;
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      inputs += Replay(entry.path());
    }
    return inputs;
  }
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof()) return 0;
  std::fprintf(stderr, "%s\n", path.c_str());  // The last one is the culprit.
  // A copy without a byte to spare, for sanitizers.
  const std::vector<uint8_t> data(bytes.begin(), bytes.end());
  (void)LLVMFuzzerTestOneInput(data.data(), data.size());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  size_t inputs = 0;
  for (int i = 1; i < argc; ++i) inputs += Replay(argv[i]);
  std::printf("%zu inputs\n", inputs);
  return inputs > 0 ? 0 : 1;
}
