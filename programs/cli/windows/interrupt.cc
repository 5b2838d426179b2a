#include "cli/interrupt.h"

#include <atomic>

#include "base/windows_api.h"

namespace latimer::cli {
namespace {

std::atomic<bool> caught = false;
std::atomic<bool> waiting = false;

void End() { ExitProcess(static_cast<UINT>(STATUS_CONTROL_C_EXIT)); }

// Runs in a thread of the system's. After closing the console, the system ends
// the program whatever this returns.
BOOL WINAPI Handle(DWORD event) {
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) return FALSE;
  if (caught.exchange(true) || waiting) End();
  return TRUE;
}

}  // namespace

void CatchInterrupts() { SetConsoleCtrlHandler(Handle, TRUE); }

bool Interrupted() { return caught; }

void WaitForInput(bool waits) {
  waiting = waits;
  if (waits) EndIfInterrupted();
}

void EndIfInterrupted() {
  if (caught) End();
}

}  // namespace latimer::cli
