// The same bits on every CPU: a hash of all logits of some demo sentences is a
// constant, whatever the tile and the instruction set. f32 weights have two
// hashes, one of the CPUs that multiply and add with one rounding and one of
// all others; f16 weights have the logits of f32 weights with the same values.
//
// 32-bit ARM is no exception, though its NEON flushes denormal numbers: neither
// weights, activations nor logits of a trained model come near 1e-38, and a
// softmax weight that small is 0 everywhere (ops/simd_math.h).
// Tests runtime/transformer/network.cc, runtime/search/choose.cc.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "base/cpu.h"
#include "base/cpu_table.h"
#include "base/half.h"
#include "converter/tensor_plan.h"
#include "ops/xnnpack/gemm.h"
#include "tests/system/demo_model.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::same_logits_test {

// The first sentences of the fixture, with the targets of transformers.
std::string Sentences(size_t count = 20) {
  std::ostringstream text;
  const std::vector<FixtureRow> rows = ReadDemoFixture();
  for (size_t i = 0; i < count; ++i) {
    for (const int32_t id : rows[i].source) text << id << ' ';
    text << '|';
    for (const int32_t id : rows[i].target) text << ' ' << id;
    text << '\n';
  }
  return text.str();
}

// The levels that this build has kernels for and this CPU has.
std::vector<const char*> UsableLevels() {
  const CpuFeatures cpu = DetectCpuFeatures();
  std::vector<const char*> levels;
  for (const Isa& isa : std::span(kIsas, static_cast<size_t>(kIsaCount))) {
    if (isa.in_build && cpu.*isa.usable && !isa.goes_with_previous) {
      levels.push_back(isa.name);
    }
  }
  return levels;
}

// Whether a level has kernels for weights of this type in this tile.
bool HasKernels(const char* level, WeightType type, Tile tile) {
  GemmKernels kernels;
  const CpuFeatures cpu = *LimitCpuFeatures(DetectCpuFeatures(), level);
  return type == WeightType::kInt4
             ? AddGemmKernels(cpu, WeightType::kInt4, tile, &kernels).ok()
             : SelectGemmKernels(cpu, type, tile, &kernels).ok();
}

// Runs the program on each of the levels that has such kernels; returns how
// many.
int ExpectHash(std::span<const char* const> levels, const ModelBytes& model,
               WeightType type, Tile tile, const std::string& hash) {
  const TempFolder folder;
  const std::string path = folder.path() / "model.ltm";
  WriteFileAtomically(path, model.bytes());
  int runs = 0;
  for (const char* level : levels) {
    const Outcome outcome =
        RunProgram("tests/same_logits_program", {path, level}, Sentences());
    const bool runs_here = HasKernels(level, type, tile);
    EXPECT_EQ(outcome.code, runs_here ? 0 : 1) << level << outcome.err;
    if (!runs_here) continue;
    EXPECT_EQ(outcome.out, hash + "\n") << level;
    ++runs;
  }
  return runs;
}

constexpr Tile kTiles[] = {Tile::k4x8,  Tile::k8x8,   Tile::k16x8,
                           Tile::k16x4, Tile::k8x2s4, Tile::k4x4};

TEST(SameLogitsTest, Int4GivesTheSameBitsOnEveryCpuAndInEveryTile) {
  int runs = 0;
  for (const Tile tile : kTiles) {
    GemmKernels kernels;
    if (!AddGemmKernels(DetectCpuFeatures(), WeightType::kInt4, tile, &kernels)
             .ok())
      continue;
    SCOPED_TRACE(NameOf(tile));
    runs += ExpectHash(UsableLevels(), ConvertDemoToInt4(tile),
                       WeightType::kInt4, tile, "9ab557b36e9bd301");
  }
  EXPECT_GE(runs, 1);
}

// Calls run(tile) for each tile whose int8 weights this CPU can multiply.
template <typename Run>
void ForEachInt8Tile(const Run& run) {
  for (const Tile tile : kTiles) {
    GemmKernels kernels;
    if (!SelectGemmKernels(DetectCpuFeatures(), WeightType::kInt8, tile,
                           &kernels)
             .ok()) {
      continue;
    }
    SCOPED_TRACE(NameOf(tile));
    run(tile);
  }
}

TEST(SameLogitsTest, Int8GivesTheSameBitsOnEveryCpuAndInEveryTile) {
  int runs = 0;
  ForEachInt8Tile([&](Tile tile) {
    runs += ExpectHash(UsableLevels(), ConvertDemo(WeightType::kInt8, tile),
                       WeightType::kInt8, tile, "cd2162dfad00a373");
  });
  EXPECT_GE(runs, 1);
}

// By kernels of their own and by those of int8 that read what is unpacked, with
// the output matrix in planes and not.
TEST(SameLogitsTest, Int6GivesTheSameBitsOnEveryCpuAndInEveryTile) {
  int runs = 0;
  ForEachInt8Tile([&](Tile tile) {
    runs += ExpectHash(UsableLevels(), ConvertDemoToInt6(tile),
                       WeightType::kInt8, tile, "5b7076c23195842c");
    runs += ExpectHash(UsableLevels(),
                       ConvertDemoToInt6(tile, /*pruned_argmax=*/false),
                       WeightType::kInt8, tile, "5b7076c23195842c");
  });
  EXPECT_GE(runs, 2);
}

// Whether the kernels of this level multiply and add floats with one rounding.
bool Fuses([[maybe_unused]] const std::string& level) {
#if defined(__x86_64__)
  return level != "sse41";
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

TEST(SameLogitsTest, F32GivesTheSameBitsOnEveryCpuThatFusesAndOnAllOthers) {
  int runs = 0;
  for (const bool fuses : {false, true}) {
    std::vector<const char*> levels = UsableLevels();
    std::erase_if(levels,
                  [&](const char* level) { return Fuses(level) != fuses; });
    runs += ExpectHash(levels, ConvertDemo(WeightType::kF32), WeightType::kF32,
                       UsableTile(WeightType::kF32),
                       fuses ? "1c928979c2fe562e" : "1a00ace70fdf4da6");
  }
  EXPECT_GE(runs, 1);
}

// The f32 model whose weights are those of f16.
Image WithRoundedWeights(const ModelBytes& f32) {
  Image image(f32.bytes());
  for (schema::Tensor* tensor : *image.root().mutable_tensors()) {
    if (tensor->layout() != schema::Layout::GemmPacked) continue;
    uint8_t* data = tensor->mutable_data()->Data();
    for (size_t i = 0; i < tensor->data()->size(); i += sizeof(float)) {
      float weight;
      std::memcpy(&weight, data + i, sizeof(weight));
      weight = HalfToFloat(FloatToHalf(weight));
      std::memcpy(data + i, &weight, sizeof(weight));
    }
  }
  image.FixChecksum();
  return image;
}

TEST(SameLogitsTest, F16GivesTheBitsOfF32WithRoundedWeights) {
  const TempFolder folder;
  const std::string f16 = folder.path() / "f16.ltm";
  WriteFileAtomically(f16, ConvertDemo(WeightType::kF16).bytes());
  const std::string f32 = folder.path() / "f32.ltm";
  WriteFileAtomically(
      f32, WithRoundedWeights(ConvertDemo(WeightType::kF32)).bytes());
  const std::string sentences = Sentences(/*count=*/3);
  std::set<std::string> fused, others;
  for (const char* level : UsableLevels()) {
    if (!HasKernels(level, WeightType::kF32, UsableTile(WeightType::kF32))) {
      continue;
    }
    const Outcome expected =
        RunProgram("tests/same_logits_program", {f32, level}, sentences);
    EXPECT_EQ(expected.code, 0) << level << expected.err;
    const Outcome outcome =
        RunProgram("tests/same_logits_program", {f16, level}, sentences);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, expected.out) << level;
    (Fuses(level) ? fused : others).insert(outcome.out);
  }
  EXPECT_LE(fused.size(), 1u);
  EXPECT_LE(others.size(), 1u);
}

// Nothing of an int8 model is left but its tile.
TEST(SameLogitsTest, AnInt8ModelWhoseMatricesAreF16GivesTheBitsOfF16) {
  const TempFolder folder;
  const std::string f16 = folder.path() / "f16.ltm";
  WriteFileAtomically(f16, ConvertDemo(WeightType::kF16).bytes());
  const CanonicalModel demo = OpenModel(DemoDirectory(), true, {});
  WriteOptions write = OptionsForThisCpu();
  MatrixTypes types = PlanTypes(demo, write);
  for (auto& [name, type] : types) type = WeightType::kF16;
  write.types = &types;
  const std::string mixed = folder.path() / "mixed.ltm";
  WriteFileAtomically(mixed, WriteModel(demo, write).bytes());
  const std::string sentences = Sentences(/*count=*/3);
  for (const char* level : UsableLevels()) {
    if (!HasKernels(level, WeightType::kInt8, write.tile)) continue;
    const Outcome expected =
        RunProgram("tests/same_logits_program", {f16, level}, sentences);
    EXPECT_EQ(expected.code, 0) << level << expected.err;
    const Outcome outcome =
        RunProgram("tests/same_logits_program", {mixed, level}, sentences);
    EXPECT_EQ(outcome.out, expected.out) << level << outcome.err;
  }
}

}  // namespace latimer::same_logits_test
