// What the project's own programs, bindings and tests ask of a translator or a
// model file beyond the public headers. It is not installed, and may change.
#ifndef LATIMER_INTERNALS_H_
#define LATIMER_INTERNALS_H_

#include <cstdint>
#include <span>

#include "base/operation_times.h"
#include "latimer/translator.h"
#include "model/model_description.h"
#include "plan/exact_profile.h"

namespace latimer {

class HtmlText;
struct HtmlSentence;

// Precondition of all: the translator has loaded a model.
class __attribute__((visibility("hidden"))) Internals {
 public:
  // All that its file says about the model.
  static const ModelDescription& Describe(const Translator& translator);
  // Where to add the time that each operation of sentences takes that begin
  // from now on; null: no clock is read. Load sets null.
  static void RecordTimes(Translator& translator, OperationTimes* times);
  // Bytes of weights that one operation reads for each generated token, without
  // a shortlist.
  static uint64_t WeightBytesPerToken(const Translator& translator,
                                      Operation operation);
  // Whether a sentence that has begun waits: after a call of Advance that
  // returned false, for memory that others have.
  static bool HasQueued(const Translator& translator);
  // Reads a sound, of at most max_source_tokens() positions, as a window that
  // ends with it, and fills `tokens`, at most max_target_tokens(), by the
  // network alone: each is the most likely one after the start and those before
  // it, but for EOS. kFailedPrecondition if the model reads text or sentences
  // are under way, kInvalidArgument if sound or tokens are too long, or none.
  static Status HearSound(Translator& translator,
                          std::span<const float> samples,
                          std::span<int32_t> tokens);
  // Begins a sentence of HTML, or as much of it as fits the longest source, and
  // tells `html` how much that is; the ticket is its number. The options, whose
  // stream and protected ranges become the sentence's, must live until it has
  // finished, as for Translator::Begin.
  static Status BeginHtml(Translator& translator, const HtmlSentence& sentence,
                          TranslateOptions* options, HtmlText* html);
  // Names of the kernels in use: index 0 is the GEMM for one row, then come
  // those for more rows, quantization and vectors; null after the last.
  static const char* KernelName(const Translator& translator, int index);
};

}  // namespace latimer

#endif  // LATIMER_INTERNALS_H_
