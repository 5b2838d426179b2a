// Ends a program on a signal without losing finished output.
#ifndef LATIMER_CLI_INTERRUPT_H_
#define LATIMER_CLI_INTERRUPT_H_

namespace latimer::cli {

// From now on SIGINT and SIGTERM make Interrupted() true. A second signal, or
// one while WaitForInput(true) holds, ends the program at once. Ignored signals
// stay ignored.
void CatchInterrupts();

bool Interrupted();

// Says whether all finished output is flushed and the program waits for input,
// which may never come.
void WaitForInput(bool waits);

// Ends the program as the signal would have; returns if no signal came.
void EndIfInterrupted();

}  // namespace latimer::cli

#endif  // LATIMER_CLI_INTERRUPT_H_
