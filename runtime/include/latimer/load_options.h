// How to load a model.
#ifndef LATIMER_LOAD_OPTIONS_H_
#define LATIMER_LOAD_OPTIONS_H_

#include <cstdint>

namespace latimer {

struct LoadOptions {
  // Threads that share the work of each step, the calling thread included.
  uint32_t threads = 1;
  // Bind each thread except the calling one to a processor of its own.
  bool pin_threads = false;
  // Sentences that may be decoded side by side, at most the profile's; 0: as
  // many as the workspace has room for.
  uint32_t lanes = 0;
  // Most beams of a sentence, at most the profile's; 0: as many as the model
  // asks for. There are at least as many lanes.
  uint32_t beams = 0;
  // Whether the workspace keeps room for attention weights and for token scores
  // (latimer/insight.h), if the profile does.
  bool attention = true;
  bool scores = true;
  // Whether it keeps room for TokenLinks (latimer/alignment.h), if the profile
  // does: 26 bytes for each target token, and 8 for each source token.
  bool alignment = true;
  // false skips the pass over the file that finds damaged weights.
  bool verify_checksum = true;
  // Use no newer instructions than these, such as "avx2" or "neon"; `latimer
  // --help` names those of the architecture. Null: use all that the CPU has.
  // For tests.
  const char* cpu = nullptr;
};

}  // namespace latimer

#endif  // LATIMER_LOAD_OPTIONS_H_
