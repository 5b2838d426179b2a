// The same bits on every CPU: a hash of all logits of some demo sentences is a
// constant, whatever the tile and the instruction set. Of f32 weights only
// where the profile leaves fused multiply-add out.
//
// 32-bit ARM is no exception, though its NEON flushes denormal numbers: neither
// weights, activations nor logits of a trained model come near 1e-38, and a
// softmax weight that small is 0 everywhere (ops/simd_math.h).
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/cpu.h"
#include "ops/xnnpack/gemm.h"
#include "tests/system/demo_model.h"
#include "tests/system/program.h"

namespace latimer {
namespace {

// The first sentences of the fixture, with the targets of transformers.
std::string Sentences() {
  constexpr size_t kSentences = 20;
  std::ostringstream text;
  const std::vector<FixtureRow> rows = ReadDemoFixture();
  for (size_t i = 0; i < kSentences; ++i) {
    for (const int32_t id : rows[i].source) text << id << ' ';
    text << '|';
    for (const int32_t id : rows[i].target) text << ' ' << id;
    text << '\n';
  }
  return text.str();
}

// Runs the program on every CPU level that there is; returns how many it ran.
int ExpectHash(const std::string& program, const ModelBytes& model,
               const std::string& hash) {
  const TempFolder folder;
  const std::string path = folder.path() / "model.ltm";
  WriteFileAtomically(path, model.bytes());
  int runs = 0;
  for (const char* level : {"sse41", "avx2", "avxvnni", "avx512", "neon",
                            "dotprod", "i8mm", "scalar"}) {
    const Outcome outcome = RunProgram(program, {path, level}, Sentences());
    if (outcome.code == 1) continue;  // No such level, or not for this tile.
    EXPECT_EQ(outcome.code, 0) << outcome.err;
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
    if (!SelectInt4Kernels(DetectCpuFeatures(), tile, &kernels).ok()) continue;
    SCOPED_TRACE(NameOf(tile));
    runs += ExpectHash("tests/same_logits_program", ConvertDemoToInt4(tile),
                       "d5c60bc624d6d1b5");
  }
  EXPECT_GE(runs, 1);
}

TEST(SameLogitsTest, Int8GivesTheSameBitsOnEveryCpuAndInEveryTile) {
  int runs = 0;
  for (const Tile tile : kTiles) {
    GemmKernels kernels;
    if (!SelectGemmKernels(DetectCpuFeatures(), WeightType::kInt8, tile,
                           &kernels)
             .ok()) {
      continue;
    }
    SCOPED_TRACE(NameOf(tile));
    runs +=
        ExpectHash("tests/same_logits_program",
                   ConvertDemo(WeightType::kInt8, tile), "b1baeb4e36832cc2");
  }
  EXPECT_GE(runs, 1);
}

TEST(SameLogitsTest, F32WithoutFmaGivesTheSameBitsOnEveryCpu) {
  EXPECT_GE(ExpectHash("tests/same_logits_f32_without_fma_program",
                       ConvertDemo(WeightType::kF32), "9392925515a21fae"),
            1);
}

}  // namespace
}  // namespace latimer
