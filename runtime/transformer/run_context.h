// What every part of the network needs to run: the model, the kernels that
// this CPU has, the threads and the buffers.
#ifndef LATIMER_TRANSFORMER_RUN_CONTEXT_H_
#define LATIMER_TRANSFORMER_RUN_CONTEXT_H_

#include "base/thread_pool.h"
#include "latimer/insight.h"
#include "latimer/memory.h"
#include "model/model.h"
#include "ops/nibble/planes.h"
#include "ops/vector_kernels.h"
#include "ops/xnnpack/gemm.h"
#include "transformer/operation_clock.h"

namespace latimer {

// What is being kept of one sentence's attention; see capture.h.
struct AttentionCapture {
  AttentionKind kind = AttentionKind::kNone;
  size_t source_tokens = 0;
  size_t rows = 0;
};

// Where what a decoder keeps of one sentence lies: views into the workspace.
struct SentenceCaches {
  float* cross_kv = nullptr;  // [L, source_tokens, 2A]; of GRUs the memory
  float* gru_keys = nullptr;  // [source_tokens, K]
  float* self_kv = nullptr;   // [L, self_rows, 2A]; states are [L, D]
  size_t source_tokens = 0;
  size_t self_rows = 0;
  uint16_t* shortlist = nullptr;  // [V / 16]
};

struct RunContext {
  Model model;
  GemmKernels gemm;
  const VectorKernels* vector = nullptr;
  // When model.info.pruned_argmax.
  const NibbleKernels* nibble = nullptr;
  Workspace* workspace = nullptr;
  ThreadPool threads;
  AttentionCapture capture;
  OperationClock clock;
  // Whose shortlist leaves -inf in workspace.logits.
  const SentenceCaches* masked_logits = nullptr;
};

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_RUN_CONTEXT_H_
