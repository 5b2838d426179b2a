// The tile of int8 weights to test with on this CPU.
#ifndef LATIMER_TESTS_SYSTEM_USABLE_TILE_H_
#define LATIMER_TESTS_SYSTEM_USABLE_TILE_H_

#include "base/check.h"
#include "base/cpu.h"
#include "ops/xnnpack/gemm.h"

namespace latimer {

// The converter's default where this build and CPU have kernels for it, else
// one that they have.
inline Tile UsableTile() {
  for (const Tile tile : {Tile::k8x8, Tile::k4x8, Tile::k8x2s4, Tile::k16x8}) {
    GemmKernels kernels;
    if (SelectGemmKernels(DetectCpuFeatures(), WeightType::kInt8, tile,
                          &kernels)
            .ok()) {
      return tile;
    }
  }
  LATIMER_CHECK(false);
}

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_USABLE_TILE_H_
