// Each number of a model file's structure in turn is 0, 1, the largest, the
// file's size, and so on, while all others stay valid: nothing crashes.
// Tests runtime/model/model_file.cc, runtime/model/check_numbers.cc.
#include <gtest/gtest.h>

#include "tests/fuzz/base_models.h"
#include "tests/system/damage.h"

namespace latimer::field_values_test {

struct Counts {
  size_t loaded = 0;
  size_t refused = 0;
};

void TryValues(const BaseModel& model, Slot slot, Counts* counts) {
  const uint64_t size = model.file().size();
  const uint64_t before = ReadSlot(model.file(), slot);
  constexpr uint64_t kMax = ~uint64_t{0};
  for (const uint64_t value : {uint64_t{0}, uint64_t{1}, kMax, kMax - 1,
                               uint64_t{1} << 31, (uint64_t{1} << 31) - 1, size,
                               size + 1, size - 1, before + 1, before - 1}) {
    WriteSlot(model.file(), slot, value);
    ++(LoadsAndRuns(model.file()) ? counts->loaded : counts->refused);
  }
  WriteSlot(model.file(), slot, before);
}

void TryModel(const BaseModel& model) {
  const size_t step = kSanitized ? 7 : FewerIfSlow(1, 29);
  Counts counts;
  for (const auto* slots :
       {&model.slots().fields, &model.slots().vtables, &model.slots().counts}) {
    for (size_t i = 0; i < slots->size(); i += step) {
      TryValues(model, (*slots)[i], &counts);
    }
  }
  // The ends of long vectors and some elements between them.
  constexpr uint32_t kMostElements = 8;
  for (const SlotRun& run : model.slots().elements) {
    const uint32_t apart = std::max(run.count / kMostElements, 1u);
    for (size_t i = 0; i < run.count; i += apart * step) {
      TryValues(model, run[i], &counts);
    }
    TryValues(model, run[run.count - 1], &counts);
  }
  std::printf("%s: %zu values load, %zu are refused\n", model.name().c_str(),
              counts.loaded, counts.refused);
  EXPECT_GT(counts.refused, counts.loaded);
  EXPECT_GT(counts.loaded, 0u);
}

TEST(FieldValuesTest, NoValueOfAFieldOffsetOrCountCrashes) {
  for (const BaseModel* model : BaseModels()) {
    SCOPED_TRACE(model->name());
    TryModel(*model);
  }
}

}  // namespace latimer::field_values_test
