/* Prints the version of the headers and that of the library. */

#include "latimer/version.h"

#include <stdio.h>

int main(void) {
  printf("%d.%d.%d %s\n", LATIMER_VERSION_MAJOR, LATIMER_VERSION_MINOR,
         LATIMER_VERSION_PATCH, latimer_version());
  return 0;
}
