// Must not compile: each beam takes a lane
#include "latimer/translator.h"
