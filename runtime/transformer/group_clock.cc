#include "transformer/group_clock.h"

#include "base/clock.h"

namespace latimer {
void GroupClock::Start(GroupTimes* times, Station station) {
  groups_ = nullptr;
  if (times == nullptr) return;
  groups_ = times->nanoseconds[static_cast<int>(station)];
  last_ = MonotonicNanoseconds();
}

void GroupClock::Add(WorkGroup group) {
  const uint64_t now = MonotonicNanoseconds();
  groups_[static_cast<int>(group)] += now - last_;
  last_ = now;
}

}  // namespace latimer
