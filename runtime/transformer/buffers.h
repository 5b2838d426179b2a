// Where the buffers of a workspace lie.
#ifndef LATIMER_TRANSFORMER_BUFFERS_H_
#define LATIMER_TRANSFORMER_BUFFERS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/internal/memory_plan.h"
#include "latimer/options.h"
#include "model/model_description.h"

namespace latimer {

struct Workspace;

// What of the features has been encoded.
struct SpeechWindow {
  uint32_t positions = 0;  // 0: there are no features.
  // The caches that hold its keys and values; null: none yet. They stay valid
  // from one search in the window to the next.
  const float* encoded = nullptr;
};

// Those of latimer::Buffer, for as many lanes, tokens and columns as the
// workspace was made for: all that the profile holds, or what one model needs.
struct Buffers {
  Buffers() = default;
  // As many as the profile holds, in the members of the same names.
  Buffers(Workspace& workspace);  // NOLINT(*explicit*)
  // For `sizes`, in order. What `memory` has beyond BytesFor(sizes) goes to the
  // caches, if there are several lanes.
  Buffers(const Profile& sizes, std::span<std::byte> memory);

  // Frame 0 of speech, behind a frame of zeros; null: no room. `mel_scratch`
  // has kMelScratchBytes.
  float* features = nullptr;
  std::byte* mel_scratch = nullptr;
  SpeechWindow* window = nullptr;
  float* hidden = nullptr;
  float* sublayer = nullptr;
  float* projection = nullptr;
  int8_t* quantized = nullptr;
  uint64_t* row_quantization = nullptr;
  std::byte* unpacked = nullptr;  // Of the first thread.
  float* attention_scratch = nullptr;
  std::span<float> cross_kv;
  std::span<float> self_kv;
  float* logits = nullptr;
  uint16_t* shortlist = nullptr;
  std::byte* shortlist_rows = nullptr;
  int32_t* source_tokens = nullptr;
  int32_t* target_tokens = nullptr;
  std::byte* beam_memory = nullptr;  // BeamBytes() for each lane.
  std::byte* tokenizer = nullptr;
  char* text = nullptr;
  std::span<float> attention;    // Empty: no room was kept for it.
  TokenScore* scores = nullptr;  // Null: likewise.
  // Empty or null: no room was kept for alignments.
  std::span<TokenLink> links;          // [T], of the sentence that finishes.
  std::span<TextRange> source_ranges;  // [S], likewise.
  uint16_t* aligned = nullptr;         // [lanes, T]
  std::byte* state = nullptr;

  uint32_t lanes = 0;  // Sentences at a time, at most `rows`.
  uint32_t rows = 0;   // Beams of all sentences at a time.
  uint32_t beams = 0;  // Of one sentence, at most.
  // Longest source, of speech in positions, and longest translation.
  uint32_t most_source_tokens = 0;
  uint32_t most_speech_positions = 0;
  uint32_t most_target_tokens = 0;
  // Elements of `hidden` and `projection`, without what kernels may read after
  // the rows.
  size_t hidden_floats = 0;
  size_t projection_floats = 0;
  // Elements of one shard of `attention_scratch`, and of one lane of
  // `shortlist` and `shortlist_rows`.
  size_t scratch_stride = 0;
  size_t unpacked_stride = 0;  // Likewise of `unpacked`.
  size_t shortlist_stride = 0;
  size_t shortlist_row_stride = 0;
  // Floats of `sublayer` before the rows that GRUs and LSTMs leave for the
  // output.
  size_t recurrent_scratch = 0;

 private:
  void PlaceAlignment(const Profile& sizes, std::byte* memory);
};

// The bytes of these buffers. The state and the logits are always those of
// the profile.
uint64_t BytesFor(const Profile& sizes);

// Bytes for the rows of the output matrix that a shortlist allows for a source
// of so many tokens, or for 3,072 of them; 0 without a shortlist.
uint64_t ShortlistRowBytes(const ModelDescription& info,
                           uint32_t source_tokens);

// kProfile, but no larger than this model needs. `options.lanes` is at least 1.
Profile SizesFor(const ModelDescription& info, const LoadOptions& options);

// Profile::int8_cross_kv of this model alone, for the profile's source_tokens
// and f16_caches.
bool KeepsInt8CrossKv(const ModelDescription& info, const Profile& profile);

// Sets what depends on the widths of a model's rows.
void SetWidths(const Architecture& architecture, Profile* profile);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_BUFFERS_H_
