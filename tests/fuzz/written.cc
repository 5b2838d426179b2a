#include "tests/fuzz/written.h"

#include <cstdio>

#include "converter/known_answer.h"
#include "converter/model_writer.h"
#include "model/model_file.h"
#include "tests/fuzz/expect.h"

namespace latimer {

void ExpectLoadable(const CanonicalModel& model) {
  const ModelBytes file =
      WriteModel(model, {.tile = *TileForThisCpu(WeightType::kInt8),
                         .f32_tile = *TileForThisCpu(WeightType::kF32),
                         .known_answer = {},
                         .progress = {}});
  static Model loaded;
  const Status status = ReadModelFile(file.bytes(), true, &loaded);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.message());
    // An error about the build says nothing about the file.
    LATIMER_EXPECT(status.code() == StatusCode::kExceedsProfile);
  }
}

}  // namespace latimer
