// Work that all cores share.
#ifndef LATIMER_CONVERTER_ALL_CORES_H_
#define LATIMER_CONVERTER_ALL_CORES_H_

#include <cstddef>
#include <functional>

namespace latimer {

// Does piece number i of the work.
using Worker = std::function<void(size_t i)>;

// Does all pieces below `count` with one thread per CPU, but at most
// `most_threads`. Each thread has a worker of its own, which it makes first.
// Throws the exception of the lowest i that threw one.
void RunOnAllCores(size_t count, size_t most_threads,
                   const std::function<Worker()>& make_worker);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_ALL_CORES_H_
