// What must hold for every model that a reader gives.
#ifndef LATIMER_TESTS_FUZZ_WRITTEN_H_
#define LATIMER_TESTS_FUZZ_WRITTEN_H_

#include "converter/canonical_model.h"

namespace latimer {

// Aborts unless the runtime loads what the converter writes, or says that this
// build is too small for it.
void ExpectLoadable(const CanonicalModel& model);

}  // namespace latimer

#endif  // LATIMER_TESTS_FUZZ_WRITTEN_H_
