/* The version of Latimer, for C and C++: semantic versioning 2.0.0. CMake's
 * project() and so the package and the soname read it here; docs/promises.md
 * says what a version promises.
 */
#ifndef LATIMER_VERSION_H_
#define LATIMER_VERSION_H_

/* Of these headers. */
#define LATIMER_VERSION_MAJOR 1
#define LATIMER_VERSION_MINOR 0
#define LATIMER_VERSION_PATCH 0
#define LATIMER_VERSION "1.0.0"

#ifdef __cplusplus
extern "C" {
#endif

/* LATIMER_VERSION of the library that the program runs with, which may be a
 * later one than that of the headers. */
const char* latimer_version(void);

#ifdef __cplusplus
}
#endif

#endif /* LATIMER_VERSION_H_ */
