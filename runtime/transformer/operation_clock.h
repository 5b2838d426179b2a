// A stopwatch that is read where one group of work ends and the next begins.
#ifndef LATIMER_TRANSFORMER_OPERATION_CLOCK_H_
#define LATIMER_TRANSFORMER_OPERATION_CLOCK_H_

#include <cstdint>

#include "latimer/operation_times.h"

namespace latimer {

class OperationClock {
 public:
  // From here on time belongs to `station` of `times`; null: no clock is read
  // until the next Start.
  void Start(OperationTimes* times, Phase station);

  // All time since Start or the last Lap was spent on `group`.
  void Lap(Operation group) {
    if (groups_ != nullptr) [[unlikely]] {
      Add(group);
    }
  }

 private:
  void Add(Operation group);

  uint64_t* groups_ = nullptr;  // [kOperationCount]
  uint64_t last_ = 0;
};

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_OPERATION_CLOCK_H_
