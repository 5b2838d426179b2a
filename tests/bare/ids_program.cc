// Prints the target ids of each line that comes from the UART, as
// `latimer translate --ids` does, and after the last line what a token and a
// sentence took. QEMU with `-icount shift=0` takes 1 ns for an instruction.
// Tests runtime/base/bare.cc.
#include "internals.h"
#include "latimer/embedded_model.h"
#include "latimer/machine.h"
#include "latimer/translator.h"
#include "machine.h"

namespace {

latimer::Workspace workspace;
char line[latimer::kProfile.text_bytes];

int Fail(const latimer::Status& status) {
  machine::Write(status.message());
  machine::Write("\n");
  return 1;
}

}  // namespace

int Main() {
  const uint64_t begin = latimer_machine_nanoseconds();
  latimer::Translator translator;
  const latimer::Status status =
      translator.Load(latimer::EmbeddedModel(), &workspace);
  if (!status.ok()) return Fail(status);
  const uint64_t loaded = latimer_machine_nanoseconds();

  latimer::OperationTimes times;
  latimer::Internals::RecordTimes(translator, &times);
  uint64_t sentences = 0;
  uint64_t tokens = 0;
  size_t length = 0;
  while (machine::ReadLine(line, sizeof(line), &length)) {
    const auto translation = translator.Translate({line, length});
    if (!translation.ok()) return Fail(translation.status());
    bool first = true;
    for (const int32_t id : translation->tokens) {
      if (!first) machine::Write(" ");
      first = false;
      machine::WriteNumber(static_cast<uint64_t>(id));
    }
    machine::Write("\n");
    ++sentences;
    tokens += translation->generated_tokens;
  }

  machine::Write("# nanoseconds of Load: ");
  machine::WriteNumber(loaded - begin);
  // By Phase and Operation.
  constexpr const char* kPhases[] = {
      "; encoder, a sentence:", "; cross keys and values, a sentence:",
      "; decoder, a token:"};
  constexpr const char* kOperations[] = {
      "embedding",    "qkv",  "self-attention", "cross-attention", "out",
      "feed-forward", "norm", "recurrent",      "output",          "search"};
  const uint64_t counts[] = {sentences, sentences, tokens};
  for (int phase = 0; phase < latimer::kPhaseCount; ++phase) {
    machine::Write(kPhases[phase]);
    uint64_t sum = 0;
    for (int i = 0; i < latimer::kOperationCount; ++i) {
      const uint64_t time = times.nanoseconds[phase][i];
      sum += time;
      if (time == 0) continue;
      machine::Write(" ");
      machine::Write(kOperations[i]);
      machine::Write(" ");
      machine::WriteNumber(time / counts[phase]);
    }
    machine::Write(" all ");
    machine::WriteNumber(counts[phase] == 0 ? 0 : sum / counts[phase]);
  }
  machine::Write("\n");
  return 0;
}
