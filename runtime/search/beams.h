// Beam search of one sentence, without its network: which beams go on, which
// hypotheses are kept and when the search ends, by the rules of _beam_search()
// in transformers 5.23.
//
// Each of K beams offers its 2 K best tokens. Of all of them, the best 2 K are
// extended, kept as hypotheses or dropped. A sentence takes K lanes. Its beams
// share its caches (transformer/caches.h), and a table of ancestors says which
// beam each of today's beams was at every earlier position: attention gathers
// its rows through it, so no key or value is ever copied. SSRU, GRUs and LSTMs
// have two sets of states, which they write in turns.
//
// A search for alternatives divides once: at the first token that is not
// dictated, its K best tokens become the beams. From then on each beam takes
// its own best token, as greedy search does, until all have ended.
#ifndef LATIMER_SEARCH_BEAMS_H_
#define LATIMER_SEARCH_BEAMS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/options.h"
#include "phrases/phrases.h"
#include "search/logits_processors.h"
#include "transformer/buffers.h"

namespace latimer {

// A token that may follow a beam, and its log-probability or its logit.
struct BeamCandidate {
  int32_t token;
  float score;
};

// Memory of the beams of all sentences: a row for each, B = lanes.
struct BeamMemory {
  BeamMemory() = default;
  explicit BeamMemory(const Buffers& workspace);

  // Those of rows from `row` on.
  BeamMemory From(size_t row) const;

  size_t target_tokens = 0;                         // T
  size_t most_candidates = 0;                       // C
  Hypothesis* hypotheses = nullptr;                 // [B]
  BeamCandidate* candidates = nullptr;              // [B, C]
  float* scores[2] = {nullptr, nullptr};            // [B] each
  int32_t* tokens[2] = {nullptr, nullptr};          // [B, T] each
  uint8_t* ancestors[2] = {nullptr, nullptr};       // [B, T] each
  PhraseProgress* phrases[2] = {nullptr, nullptr};  // [B] each
  int32_t* targets = nullptr;  // [B, T]: those of hypotheses
};

// The beams of a sentence, K at most. All have the same number of tokens.
class Beams {
 public:
  // Starts with one beam without tokens. `memory` has K rows.
  void Start(const BeamMemory& memory, const SearchOptions& options);

  size_t count() const { return count_; }
  size_t tokens() const { return length_; }
  // The token that the decoder reads next.
  int32_t last_token(size_t beam) const;
  // What beam `beam` has read and will read next.
  Prefix prefix(size_t beam) const;
  // How far it has got with the phrases of the options. Extend leaves it to the
  // caller to add the last token (constraint.h).
  PhraseProgress& phrases(size_t beam) const {
    return memory_.phrases[set_][beam];
  }
  // Which beams it was at each position, itself included: [tokens() + 1].
  const uint8_t* ancestors(size_t beam) const;
  // Where Extend expects the candidates of a beam, the best one first.
  BeamCandidate* candidates(size_t beam) const;
  // As many are enough for each beam, in a search by `options`.
  static size_t CandidatesPerBeam(const SearchOptions& options) {
    return (options.alternatives ? 1 : 2) * size_t{options.beams};
  }

  // Extends the beams by their candidates, `counts` of each. Returns whether
  // the search goes on.
  bool Extend(std::span<const uint32_t> counts);
  // Ends a search that would go on: without hypotheses, the best beam is one.
  void Stop();

  // Best first; views the memory.
  std::span<const Hypothesis> hypotheses() const {
    return {memory_.hypotheses, finished_};
  }

 private:
  struct Extension {
    uint32_t beam;
    BeamCandidate candidate;
  };
  bool BestExtension(std::span<const uint32_t> counts, uint32_t* next,
                     Extension* out) const;
  void Keep(const Extension& extension);
  void Grow(const Extension& extension, size_t to);
  bool MayImprove(float best_score) const;
  float Normalized(float score, size_t tokens) const;

  int32_t* tokens_of(size_t set, size_t beam) const {
    return memory_.tokens[set] + beam * memory_.target_tokens;
  }
  uint8_t* ancestors_of(size_t set, size_t beam) const {
    return memory_.ancestors[set] + beam * memory_.target_tokens;
  }

  BeamMemory memory_;
  const SearchOptions* options_ = nullptr;
  size_t length_ = 0;
  uint32_t count_ = 0;
  uint32_t finished_ = 0;
  uint32_t set_ = 0;      // Which of the two the beams are in.
  bool divided_ = false;  // A search for alternatives has its beams.
};

}  // namespace latimer

#endif  // LATIMER_SEARCH_BEAMS_H_
