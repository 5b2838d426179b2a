#include "transformer/group_clock.h"

#include <time.h>

namespace latimer {
namespace {

uint64_t Nanoseconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

void GroupClock::Start(GroupTimes* times, Station station) {
  groups_ = nullptr;
  if (times == nullptr) return;
  groups_ = times->nanoseconds[static_cast<int>(station)];
  last_ = Nanoseconds();
}

void GroupClock::Add(WorkGroup group) {
  const uint64_t now = Nanoseconds();
  groups_[static_cast<int>(group)] += now - last_;
  last_ = now;
}

}  // namespace latimer
