// How far a translation is, on one line of a terminal.
#ifndef LATIMER_CLI_PROGRESS_H_
#define LATIMER_CLI_PROGRESS_H_

#include <cstdint>

namespace latimer::cli {

// From now on progress is shown if standard error is a terminal and standard
// output, where the translations themselves would show it, is none. `bytes` is
// the size of the input; if it is 0, nothing is shown. `units`: "lines".
void BeginProgress(uint64_t bytes, const char* units);

// `bytes` of the input and `count` units are done. Writes a few times a second
// at most; calls no allocator.
void ShowProgress(uint64_t bytes, uint64_t count);

// Clears the line, before something else is written to standard error.
void HideProgress();

// Leaves a last line with what is done. Nothing is shown after it.
void EndProgress(uint64_t bytes, uint64_t count);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_PROGRESS_H_
