// Tasks on a Cortex-M: the part of an RTOS that a program beside translation
// needs. Each task has a stack of its own, and the first one that is awake
// runs. Nothing here disables interrupts.
#ifndef LATIMER_TARGETS_BARE_TASKS_H_
#define LATIMER_TARGETS_BARE_TASKS_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace tasks {

struct Task {
  void (*run)();  // Never returns.
  std::span<uint64_t> stack;

  // The scheduler's.
  uint32_t* sp = nullptr;       // Of a task that does not run.
  volatile uint32_t wakes = 0;  // Written by interrupts only,
  volatile uint32_t waits = 0;  // and by the task only.
};

// Calls SysTick() every `period` ticks, and runs the tasks, the most important
// first. The last one must not wait.
[[noreturn]] void Run(std::span<Task> tasks, uint32_t period);

// Of the task that runs: until it has been woken as often as it has waited.
void Wait();

// For an interrupt.
void Wake(Task& task);

// For a more important task: the task begins anew, whatever it was doing.
void Restart(Task& task);

// Most bytes of its stack that a task has used, with what interrupts and
// switches to other tasks leave there.
size_t UsedStack(const Task& task);

// Bytes that they leave: 26 words by the CPU, one to align them, 25 by PendSV.
inline constexpr size_t kFrameBytes = 52 * sizeof(uint32_t);

inline volatile uint32_t& Register(uint32_t address) {
  return *reinterpret_cast<volatile uint32_t*>(address);
}
inline constexpr uint32_t kTimerControl = 0xe000e010;
inline constexpr uint32_t kTimerPeriod = 0xe000e014;  // Less one.
inline constexpr uint32_t kTimerValue = 0xe000e018;   // Counts down to 0.

// Ticks since SysTick() was due. Inline, because SysTick() begins with it.
inline uint32_t TicksSinceDue() {
  const uint32_t value = Register(kTimerValue);
  return value == 0 ? 0 : Register(kTimerPeriod) + 1 - value;
}

}  // namespace tasks

namespace machine {
extern const uint32_t kTimerMhz;  // Ticks of the timer in a microsecond.
}

// The program's, the most urgent interrupt.
extern "C" void SysTick();

#endif  // LATIMER_TARGETS_BARE_TASKS_H_
