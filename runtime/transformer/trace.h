// What is recorded while a sentence is translated: the time of each operation
// (base/operation_times.h), attention weights and alignments
// (latimer/translation.h).
//
// What the profile leaves out is not compiled in.
#ifndef LATIMER_TRANSFORMER_TRACE_H_
#define LATIMER_TRANSFORMER_TRACE_H_

#include <cstddef>
#include <cstdint>

#include "base/operation_times.h"
#include "latimer/internal/memory_plan.h"
#include "latimer/status.h"
#include "latimer/translation.h"
#include "model/model_description.h"

namespace latimer {

// A stopwatch that is read where one operation ends and the next begins.
class OperationClock {
 public:
  // From now on time belongs to `phase` of `times`. If `times` is null, no
  // clock is read until the next Start.
  void Start(OperationTimes* times, Phase phase);

  // All time since Start or the last Lap was spent on `operation`.
  void Lap(Operation operation) {
    if (nanoseconds_ != nullptr) [[unlikely]] {
      Add(operation);
    }
  }

 private:
  void Add(Operation operation);

  uint64_t* nanoseconds_ = nullptr;  // [kOperationCount]
  uint64_t last_ = 0;
};

// The attention weights of one sentence, of one kind, in a caller's buffer.
class AttentionTrace {
 public:
  // Records attention of `kind` of a sentence of `source_tokens` from now on;
  // with kNone, nothing. The memory of `weights` outlives this. Errors:
  // kFailedPrecondition (there is none), kInvalidArgument (the model has no
  // such attention).
  Status Start(const Architecture& architecture, AttentionKind kind,
               size_t source_tokens, std::span<float> weights);

  bool Records(AttentionKind kind) const {
    return kProfile.attention > 0 && kind_ == kind;
  }
  bool active() const { return kind_ != AttentionKind::kNone; }

  // Records the weights of every head of one row, which are `stride` floats
  // apart, if `kind` is the recorded one. Rows come in order, and layers within
  // a row. Rows that exceed the buffer are dropped, and End reports it.
  void AddRow(AttentionKind kind, uint32_t layer, size_t row,
              const float* weights, size_t stride);

  // What was recorded. kTextTooLong if it was more than the buffer holds.
  Status End(AttentionWeights* out) const;

 private:
  AttentionWeights View(size_t rows) const;

  AttentionKind kind_ = AttentionKind::kNone;
  uint32_t layers_ = 0;
  uint32_t heads_ = 0;
  size_t source_tokens_ = 0;
  size_t rows_ = 0;
  std::span<float> weights_;
};

// Where to note which source token a row attends to most.
struct AlignedRow {
  uint16_t* source = nullptr;  // Null: nowhere.
  // The source tokens of the text itself; others, such as EOS, do not count.
  uint32_t begin = 0;
  uint32_t end = 0;

  bool active() const {
    return (kProfile.alignment || kProfile.phrases) && source != nullptr;
  }
  // Records the source token with the largest weight of `head`, or the largest
  // sum of the weights of all heads, which are `stride` floats apart.
  void RecordArgmax(int32_t head, uint32_t heads, const float* weights,
                    size_t stride) const;
};

// Number of weights of one kind in a sentence with `rows` rows.
uint64_t AttentionWeightCount(const Architecture& architecture,
                              AttentionKind kind, size_t source_tokens,
                              size_t rows);
// The largest number of any kind.
uint64_t MostAttentionWeights(const Architecture& architecture,
                              size_t source_tokens, size_t target_tokens);

// kFailedPrecondition: there is no room for `what`, such as "attention
// weights"; `option` of loading and converting makes room.
Status NoRoomFor(const char* what, bool in_profile, const char* option);

// The queries of ModelDescription::speech_heads, of the `rows` tokens of a
// sentence from its beginning on.
struct SpeechQueries {
  float* queries = nullptr;  // [heads, rows, head_dim]; null: none are kept.
  size_t rows = 0;

  float* At(size_t head, size_t row, size_t head_dim) const {
    return queries + (head * rows + row) * head_dim;
  }
};

struct Trace {
  OperationTimes* times = nullptr;  // What the clock adds to; may be null.
  OperationClock clock;
  AttentionTrace attention;
  SpeechQueries queries;

  void StartPhase(Phase phase) { clock.Start(times, phase); }
  void Lap(Operation operation) { clock.Lap(operation); }
};

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_TRACE_H_
