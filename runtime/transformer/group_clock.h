// A stopwatch that is read where one group of work ends and the next begins.
#ifndef LATIMER_TRANSFORMER_GROUP_CLOCK_H_
#define LATIMER_TRANSFORMER_GROUP_CLOCK_H_

#include <cstdint>

#include "latimer/group_times.h"

namespace latimer {

class GroupClock {
 public:
  // From here on time belongs to `station` of `times`; null: no clock is read
  // until the next Start.
  void Start(GroupTimes* times, Station station);

  // All time since Start or the last Lap was spent on `group`.
  void Lap(WorkGroup group) {
    if (groups_ != nullptr) [[unlikely]] {
      Add(group);
    }
  }

 private:
  void Add(WorkGroup group);

  uint64_t* groups_ = nullptr;  // [kWorkGroupCount]
  uint64_t last_ = 0;
};

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_GROUP_CLOCK_H_
