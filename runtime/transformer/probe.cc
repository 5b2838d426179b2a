#include "transformer/probe.h"

#ifdef LATIMER_PROBE

namespace latimer {

constinit thread_local Probe* probe = nullptr;

}  // namespace latimer

#endif
