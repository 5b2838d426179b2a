// Where speech may be cut.
#ifndef LATIMER_AUDIO_PAUSE_H_
#define LATIMER_AUDIO_PAUSE_H_

#include <cstddef>
#include <span>

namespace latimer {

// The middle of the quietest 0.2 seconds in the last third of samples at 16
// kHz, of several the last; the end if that third is shorter.
size_t FindPause(std::span<const float> samples);

}  // namespace latimer

#endif  // LATIMER_AUDIO_PAUSE_H_
