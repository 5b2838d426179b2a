#include "latimer/version.h"

const char* latimer_version(void) { return LATIMER_VERSION; }
