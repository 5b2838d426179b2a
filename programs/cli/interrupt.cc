#include "cli/interrupt.h"

#include <atomic>
#include <csignal>
#include <initializer_list>

namespace latimer::cli {
namespace {

// Any thread may take the signal. RISC-V has no instruction that swaps a byte,
// so for GCC a bool may need a lock there.
std::atomic<int> caught = 0;   // The signal, or 0.
std::atomic<int> waiting = 0;  // 1 while the program waits for input.
static_assert(std::atomic<int>::is_always_lock_free);

void End(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// The signal is blocked while this runs, so it ends the program when this
// returns.
void Handle(int signal) {
  if (waiting != 0 || caught != 0) return End(signal);
  caught = signal;
}

}  // namespace

void CatchInterrupts() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0 ||
        action.sa_handler == SIG_IGN) {
      continue;
    }
    action = {};
    action.sa_handler = Handle;
    // A write under way is completed.
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

bool Interrupted() { return caught != 0; }

void WaitForInput(bool waits) {
  waiting = waits ? 1 : 0;
  if (waits) EndIfInterrupted();
}

void EndIfInterrupted() {
  if (caught != 0) End(caught);
}

}  // namespace latimer::cli
