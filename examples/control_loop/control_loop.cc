// Translation beside a control loop, on a Cortex-M without an operating system:
//
//   interrupt    each ms      moves a servo, by a PID controller
//   control      each 10 ms   says where it goes, and may end a translation
//   translation  else         translates lines, by Begin and Advance
//
// Reads lines from the UART up to Ctrl-D, and then starts all three. Ends a few
// translations early; then writes that of each line, its ids, and how the loop
// fared. All but the translations is in lines that begin with #.
#include <atomic>

#include "latimer/embedded_model.h"
#include "latimer/machine.h"
#include "latimer/translator.h"
#include "machine.h"
#include "servo.h"
#include "tasks.h"

namespace {

constexpr uint32_t kPeriodsPerWake = 10;
constexpr uint64_t kPeriodNanoseconds = 1'000'000;

// ---- Who writes what --------------------------------------------------------

// The interrupt.
Servo servo;
volatile uint32_t periods = 0;
uint32_t earliest = UINT32_MAX, latest = 0;  // Ticks after it was due.

// The control task.
std::atomic<float> goal{0};
uint32_t missed_wakes = 0, latest_wake = 0;
uint64_t ended_at = 0;  // When it ended a translation.
bool restarted = false;

// The translation.
latimer::Workspace workspace;
uint64_t longest_begin = 0, longest_encoder = 0, longest_step = 0;  // Ticks.

// Both tasks.
std::atomic<bool> cancel{false};
std::atomic<void (*)()> order{nullptr};  // What Control() does when it wakes.

// ---- The tasks --------------------------------------------------------------

void Control();
void TranslateAll();

uint64_t control_stack[64];
// The library's, and this program's.
uint64_t translation_stack[(latimer::kStackBytes + tasks::kFrameBytes + 512) /
                           sizeof(uint64_t)];
tasks::Task all[] = {{Control, control_stack},
                     {TranslateAll, translation_stack}};

// Ticks since the tasks began.
uint64_t Now() {
  for (;;) {
    const uint32_t before = periods;
    const uint32_t ticks = tasks::TicksSinceDue();
    if (periods == before) {
      return uint64_t{before} * machine::kTimerMhz * 1000 + ticks;
    }
  }
}

void Control() {
  Path path;
  for (;;) {
    tasks::Wait();
    latest_wake = std::max(latest_wake, tasks::TicksSinceDue());
    if (periods % kPeriodsPerWake != 0) ++missed_wakes;
    goal = path.Next();
    if (const auto todo = order.exchange(nullptr)) todo();
  }
}

void Cancel() {
  ended_at = Now();
  cancel = true;
}

// Ends a translation wherever it is: the task loads the model again.
void Restart() {
  ended_at = Now();
  restarted = true;
  tasks::Restart(all[1]);
}

// For the translation: the order is carried out nine periods later.
void Order(void (*what)()) {
  while (periods % kPeriodsPerWake != 1) {
  }
  order = what;
}

// The number of the period that has just begun.
uint32_t NextPeriod() {
  const uint32_t before = periods;
  while (periods == before) {
  }
  return before + 1;
}

// Whether the servo is where it would be alone, to the bit.
bool IsUndisturbed() {
  Servo alone;
  Path path;
  float there = 0;
  for (uint32_t i = 1; i <= periods; ++i) {
    alone.Step(there);
    if (i % kPeriodsPerWake == 0) there = path.Next();
  }
  return alone.bits() == servo.bits();
}

// ---- Text -------------------------------------------------------------------

void Write(std::string_view text) { machine::Write(text); }
void Write(uint64_t number) { machine::WriteNumber(number); }
template <typename... Parts>
void WriteLine(const Parts&... parts) {
  (Write(parts), ...);
  Write("\n");
}

uint64_t Nanoseconds(uint64_t ticks) {
  return ticks * 1000 / machine::kTimerMhz;
}

[[noreturn]] void Fail(std::string_view message) {
  WriteLine(message);
  machine::End(1);
}

void Check(const latimer::Status& status) {
  if (!status.ok()) Fail(status.message());
}

// Lines, each with its end.
char text[8192];
size_t text_bytes = 0;

void ReadText() {
  size_t length = 0;
  while (machine::ReadLine(text + text_bytes, sizeof(text) - text_bytes,
                           &length)) {
    text_bytes += length;
    if (text_bytes == sizeof(text)) Fail("The text has more than 8191 bytes.");
    text[text_bytes++] = '\n';
  }
  if (text_bytes == 0) Fail("There is no line to translate.");
}

// ---- Translation ------------------------------------------------------------

// Advances until the sentence has finished.
latimer::Translation Finish(latimer::Translator& translator) {
  latimer::FinishedTranslation finished;
  uint64_t* longest = &longest_encoder;  // The first step encodes the source.
  for (bool done = false; !done; longest = &longest_step) {
    const uint64_t begin = Now();
    done = translator.Advance(&finished);
    *longest = std::max(*longest, Now() - begin);
  }
  Check(finished.status);
  return finished.translation;
}

// Translates a line, in parts if it is long, and writes what is not stopped.
latimer::Translation Translate(latimer::Translator& translator,
                               std::string_view line,
                               const latimer::TranslateOptions& options = {}) {
  latimer::TextCursor cursor(line, options);
  latimer::Translation part;
  while (!cursor.done()) {
    const uint64_t begin = Now();
    Check(translator.Begin(cursor, 0));
    longest_begin = std::max(longest_begin, Now() - begin);
    part = Finish(translator);
    cursor.Finish(part);
    if (part.stop_reason >= latimer::StopReason::kBudget) continue;
    WriteLine(part.text);
    Write("# ids");
    for (const int32_t id : part.tokens) {
      Write(" ");
      Write(static_cast<uint64_t>(id));
    }
    Write("\n");
  }
  return part;
}

// Translates a line that is stopped by a flag, by time and by tokens.
void StopThreeTimes(latimer::Translator& translator, std::string_view line) {
  const auto stop = [&](std::string_view by, const auto& options) {
    const latimer::Translation part = Translate(translator, line, options);
    const uint64_t end = Now();
    const bool cancelled = part.stop_reason == latimer::StopReason::kCancelled;
    const bool budget = part.stop_reason == latimer::StopReason::kBudget;
    WriteLine("# ", by, ": ",
              cancelled ? "cancelled" : (budget ? "budget" : "NOT STOPPED"),
              " after ", part.generated_tokens, " tokens");
    return end;
  };
  Order(Cancel);
  const uint64_t end =
      stop("flag", latimer::TranslateOptions{.cancel = &cancel});
  WriteLine("# from the flag to the end: ", Nanoseconds(end - ended_at), " ns");
  stop("1 ms", latimer::TranslateOptions{.budget_ms = 1});
  stop("2 tokens", latimer::TranslateOptions{.budget_tokens = 2});
}

// The time to encode as many tokens as the model reads, those of a line again
// and again.
uint64_t LongestEncoder(latimer::Translator& translator,
                        std::string_view line) {
  static int32_t ids[latimer::kProfile.source_tokens];
  const auto count = translator.Tokenize(line, ids);
  Check(count.status());
  for (size_t i = *count; i < std::size(ids); ++i) ids[i] = ids[i - *count];
  const uint64_t begin = Now();
  const auto result = translator.TranslateIds(ids, {.budget_tokens = 1});
  Check(result.status());
  return Now() - begin;
}

void TranslateAll() {
  // Once, also if the task begins anew.
  static const uint32_t first_period = NextPeriod();
  static const uint64_t begin = latimer_machine_nanoseconds();
  const std::string_view lines(text, text_bytes);
  const std::string_view first = lines.substr(0, lines.find('\n'));
  latimer::Translator translator;
  Check(translator.Load(latimer::EmbeddedModel(), &workspace));
  if (!restarted) {
    Order(Restart);
    Translate(translator, first);
    Fail("The translation was not ended.");
  }
  WriteLine("# from the restart to a loaded model: ",
            Nanoseconds(Now() - ended_at), " ns");
  StopThreeTimes(translator, first);
  for (std::string_view rest = lines; !rest.empty();) {
    const size_t length = rest.find('\n');
    Translate(translator, rest.substr(0, length));
    rest.remove_prefix(length + 1);
    latimer_machine_nanoseconds();  // Before its counter begins anew.
  }
  const uint64_t longest_source = LongestEncoder(translator, first);
  const uint32_t counted = NextPeriod() - first_period;
  const uint64_t passed = latimer_machine_nanoseconds() - begin;
  tasks::Register(tasks::kTimerControl) = 0;

  WriteLine("# interrupt: ", counted, " of ",
            (passed + kPeriodNanoseconds / 2) / kPeriodNanoseconds,
            " periods, late by ", Nanoseconds(earliest), " to ",
            Nanoseconds(latest), " ns");
  WriteLine("# control task: ", missed_wakes, " of ", periods / kPeriodsPerWake,
            " wakes missed, late by up to ", Nanoseconds(latest_wake), " ns");
  WriteLine("# servo: ", IsUndisturbed() ? "as alone" : "DISTURBED");
  WriteLine("# stacks: control ", tasks::UsedStack(all[0]),
            " bytes, translation ", tasks::UsedStack(all[1]), " of ",
            latimer::kStackBytes + tasks::kFrameBytes);
  WriteLine("# longest, ns: Begin ", Nanoseconds(longest_begin),
            ", step with the encoder ", Nanoseconds(longest_encoder),
            ", other step ", Nanoseconds(longest_step),
            ", with the encoder of ", translator.max_source_tokens(),
            " tokens ", Nanoseconds(longest_source));
  machine::End(0);
}

}  // namespace

extern "C" void SysTick() {
  const uint32_t late = tasks::TicksSinceDue();
  earliest = std::min(earliest, late);
  latest = std::max(latest, late);
  servo.Step(goal);
  periods = periods + 1;
  if (periods % kPeriodsPerWake == 0) tasks::Wake(all[0]);
}

int Main() {
  ReadText();
  tasks::Run(all, machine::kTimerMhz * 1000);
}
