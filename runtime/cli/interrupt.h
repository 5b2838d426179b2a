// Ends a program at a signal without losing what it has finished.
#ifndef LATIMER_CLI_INTERRUPT_H_
#define LATIMER_CLI_INTERRUPT_H_

namespace latimer::cli {

// From now on SIGINT and SIGTERM make Interrupted() true, but while
// WaitForInput(true) holds they end the program at once, and the second one
// always does. Those that are ignored stay ignored.
void CatchInterrupts();

bool Interrupted();

// Says that all that is finished has been flushed and the program waits for
// input that may never come.
void WaitForInput(bool waits);

// Ends the program as the signal would have. Returns without an effect where
// there was none.
void EndIfInterrupted();

}  // namespace latimer::cli

#endif  // LATIMER_CLI_INTERRUPT_H_
