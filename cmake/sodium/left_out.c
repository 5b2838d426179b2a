// What the files of libsodium in use refer to in those that are left out. No
// function that Latimer calls comes here.
#include <stdlib.h>

#include "core.h"
#include "randombytes.h"

// New keys and random signatures ask for random numbers.
void randombytes_buf(void* const out, const size_t bytes) {
  (void)out;
  (void)bytes;
  abort();
}

// Calls that libsodium's documentation forbids.
void sodium_misuse(void) { abort(); }
