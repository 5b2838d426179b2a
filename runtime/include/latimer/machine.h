/* What Latimer asks of a program without an operating system, which defines
 * these functions. targets/bare has them for a few machines. */
#ifndef LATIMER_MACHINE_H_
#define LATIMER_MACHINE_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds since any moment, never fewer than before. Without a clock return
 * 0: then time limits are never reached, and all times are 0. Every task that
 * translates calls it. */
uint64_t latimer_machine_nanoseconds(void);

/* A check of our own code has failed: shows `message`, a line of text, and
 * stops. Must not return. */
void latimer_machine_failed(const char* message) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif /* LATIMER_MACHINE_H_ */
