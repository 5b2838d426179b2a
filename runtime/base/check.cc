#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace latimer {

void CheckFailed(const char* message) {
  std::fputs(message, stderr);
  std::abort();
}

}  // namespace latimer
