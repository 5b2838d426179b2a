// PendSV, the least urgent interrupt, switches tasks. Registers and frames are
// those of Arm's architecture reference manuals, ARMv7-M B1.5 and ARMv8-M.
#include "tasks.h"

#include <algorithm>

namespace tasks {
namespace {

constexpr uint64_t kPaint = 0xa5a5a5a5a5a5a5a5;
// What `lr` has in an exception that interrupted a task which has not used the
// FPU, and `xpsr` in code.
constexpr uint32_t kReturnToTask = 0xfffffffd;
constexpr uint32_t kThumb = 1u << 24;

constexpr uint32_t kInterruptControl = 0xe000ed04;
constexpr uint32_t kPriorities = 0xe000ed20;  // Of SysTick and PendSV.

// What runs before the first task, and never again.
uint64_t before_stack[16];
Task before = {nullptr, before_stack};
Task* current = &before;
std::span<Task> all;

// PendSV comes as soon as no other interrupt runs.
void PendSwitch() { Register(kInterruptControl) = 1u << 28; }

void Switch() {
  PendSwitch();
  asm volatile("dsb\n isb" ::: "memory");
}

}  // namespace

// The stack as PendSV leaves it: r4 to r11, lr; then as the CPU does: r0 to r3,
// r12, lr, pc, xpsr.
void Restart(Task& task) {
  auto* frame =
      reinterpret_cast<uint32_t*>(task.stack.data() + task.stack.size()) - 17;
  frame[8] = kReturnToTask;
  frame[15] = reinterpret_cast<uint32_t>(task.run) & ~1u;
  frame[16] = kThumb;
  task.sp = frame;
}

void Run(std::span<Task> tasks, uint32_t period) {
  for (Task& task : tasks) {
    std::ranges::fill(task.stack, kPaint);
    Restart(task);
  }
  all = tasks;
  asm volatile("msr psp, %0" ::"r"(before_stack + std::size(before_stack)));
  Register(kPriorities) = 0xffu << 16;
  Register(kTimerPeriod) = period - 1;
  Register(kTimerValue) = 0;
  Register(kTimerControl) = 7;  // Counts the CPU's clock, and interrupts.
  for (;;) Switch();
}

void Wait() {
  current->waits = current->waits + 1;
  Switch();
}

void Wake(Task& task) {
  task.wakes = task.wakes + 1;
  PendSwitch();
}

size_t UsedStack(const Task& task) {
  const auto used = std::ranges::find_if(
      task.stack, [](uint64_t word) { return word != kPaint; });
  return static_cast<size_t>(task.stack.end() - used) * sizeof(uint64_t);
}

extern "C" {

// Returns the stack of the first task that is awake.
[[gnu::used]] uint32_t* SwitchStacks(uint32_t* sp) {
  current->sp = sp;
  current = &*std::ranges::find_if(all, [](const Task& task) {
    return static_cast<int32_t>(task.wakes - task.waits) >= 0;
  });
  return current->sp;
}

// Half of the FPU is the task's only if it has used it, as bit 4 of lr says;
// the CPU saves the other half, by itself and when it must.
[[gnu::naked]] void PendSv() {
  asm(R"(
  mrs r0, psp
  tst lr, #0x10
  it eq
  vstmdbeq r0!, {s16-s31}
  stmdb r0!, {r4-r11, lr}
  bl SwitchStacks
  ldmia r0!, {r4-r11, lr}
  tst lr, #0x10
  it eq
  vldmiaeq r0!, {s16-s31}
  msr psp, r0
  bx lr
  )");
}

}  // extern "C"

}  // namespace tasks
