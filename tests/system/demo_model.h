// The demo model, converted in memory, and its fixture.
#ifndef LATIMER_TESTS_SYSTEM_DEMO_MODEL_H_
#define LATIMER_TESTS_SYSTEM_DEMO_MODEL_H_

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "converter/model_writer.h"
#include "converter/output_file.h"
#include "converter/readers/open_model.h"
#include "tests/system/test_workspace.h"
#include "tests/system/usable_tile.h"

namespace latimer {

inline std::filesystem::path DemoDirectory() {
  return std::filesystem::path(LATIMER_SOURCE_DIR) / "examples" / "en-de";
}

// A model of the same kind, a seventh as large: for tests of what a model does,
// not of how well. It translates the demo's texts.
inline std::filesystem::path SmallDemoDirectory() {
  return std::filesystem::path(LATIMER_SOURCE_DIR) / "examples" / "en-de-tiny";
}

// A model that `convert` makes. ctest sets a folder that is empty when it
// begins: the first test that needs the model stores it there, and the others
// read it. Without the folder each test makes its own.
inline ModelBytes CachedModel(const std::string& name,
                              const std::function<ModelBytes()>& convert) {
  const char* folder = std::getenv("LATIMER_TEST_MODELS");
  if (folder == nullptr) return convert();
  const std::filesystem::path path = std::filesystem::path(folder) / name;
  if (!std::filesystem::exists(path)) {
    const ModelBytes model = convert();
    WriteFileAtomically(path, model.bytes());
    return model;
  }
  const size_t bytes = std::filesystem::file_size(path);
  const std::shared_ptr<void> memory(
      std::aligned_alloc(64, (bytes + 63) / 64 * 64), std::free);
  std::ifstream(path, std::ios::binary)
      .read(static_cast<char*>(memory.get()),
            static_cast<std::streamsize>(bytes));
  return {memory, {static_cast<const std::byte*>(memory.get()), bytes}};
}

inline std::string DemoName(WeightType weights, Tile tile) {
  return "demo-" + std::to_string(static_cast<int>(weights)) + "-" +
         std::to_string(static_cast<int>(tile)) + ".ltm";
}

// What `latimer-convert examples/en-de` writes, for this CPU.
inline ModelBytes ConvertDemo(WeightType weights, Tile tile = UsableTile()) {
  return CachedModel(DemoName(weights, tile), [&] {
    return WriteForThisCpu(OpenModel(DemoDirectory(), true, {}), weights, tile);
  });
}

inline ModelBytes ConvertSmallDemo(WeightType weights,
                                   Tile tile = UsableTile()) {
  return CachedModel("small-" + DemoName(weights, tile), [&] {
    return WriteForThisCpu(OpenModel(SmallDemoDirectory(), true, {}), weights,
                           tile);
  });
}

// What `latimer-convert examples/en-de-tiny` writes, with room for 48 tokens:
// longer texts have parts.
inline ModelBytes ConvertTinyDemo() {
  return CachedModel("tiny-" + DemoName(WeightType::kInt8, UsableTile()), [] {
    CanonicalModel model = OpenModel(SmallDemoDirectory(), true, {});
    LimitPositions({48, 48}, &model);
    return WriteForThisCpu(model, WeightType::kInt8, UsableTile());
  });
}

// With the tokenizer of its target, which terms and prefixes need.
inline ModelBytes ConvertDemoWithTargetTokenizer() {
  return CachedModel("target-" + DemoName(WeightType::kInt8, UsableTile()), [] {
    CanonicalModel model = OpenModel(DemoDirectory(), true, {});
    model.target_tokenizer = model.tokenizer->target_text();
    return WriteForThisCpu(model, WeightType::kInt8, UsableTile());
  });
}

// The same with --weights int4.
inline ModelBytes ConvertDemoToInt4(Tile tile) {
  return CachedModel(DemoName(WeightType::kInt4, tile), [&] {
    CanonicalModel model = OpenModel(DemoDirectory(), true, {});
    const QuantizedMatrices int4 = QuantizeToInt4(kInt4LargestError, &model);
    const MatrixTypes types = TypesOf(int4);
    return WriteModel(
        model,
        {.tile = tile, .types = &types, .quantized = &int4, .progress = {}});
  });
}

// The same with --weights int6, and with --no-pruned-argmax.
inline ModelBytes ConvertDemoToInt6(Tile tile, bool pruned_argmax = true) {
  const std::string name = DemoName(WeightType::kInt6, tile);
  return CachedModel(pruned_argmax ? name : "whole-" + name, [&] {
    return WriteModel(OpenModel(DemoDirectory(), true, {}),
                      {.tile = tile,
                       .pruned_argmax = pruned_argmax,
                       .other_types = WeightType::kInt6,
                       .progress = {}});
  });
}

inline std::vector<std::string> ReadLines(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// A sentence as transformers tokenized and translated it.
struct FixtureRow {
  std::string source_text;
  std::vector<int32_t> source;
  std::vector<int32_t> target;
  std::string target_text;
};

inline std::vector<FixtureRow> ReadDemoFixture(
    const std::filesystem::path& folder = DemoDirectory()) {
  std::vector<FixtureRow> rows;
  for (const std::string& line : ReadLines(folder / "fixture.jsonl")) {
    const auto json = nlohmann::json::parse(line);
    rows.push_back({json.at("source_text"), json.at("source"),
                    json.at("target"), json.at("target_text")});
  }
  return rows;
}

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_DEMO_MODEL_H_
