#include "transformer/operation_clock.h"

#include "base/clock.h"

namespace latimer {
void OperationClock::Start(OperationTimes* times, Phase station) {
  groups_ = nullptr;
  if (times == nullptr) return;
  groups_ = times->nanoseconds[static_cast<int>(station)];
  last_ = MonotonicNanoseconds();
}

void OperationClock::Add(Operation group) {
  const uint64_t now = MonotonicNanoseconds();
  groups_[static_cast<int>(group)] += now - last_;
  last_ = now;
}

}  // namespace latimer
