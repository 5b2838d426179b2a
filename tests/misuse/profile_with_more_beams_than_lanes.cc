// Must not compile: each beam takes a lane
#include "latimer/internal/memory_plan.h"
