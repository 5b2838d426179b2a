/* What Latimer asks of a machine without files: latimer.h. */
#include <stdio.h>
#include <stdlib.h>

#include "esp_timer.h"
#include "latimer.h"

uint64_t latimer_machine_nanoseconds(void) {
  return (uint64_t)esp_timer_get_time() * 1000;
}

void latimer_machine_failed(const char* message) {
  fputs(message, stderr);
  abort();
}
