// The profile of builds for any model, which targets/models/ adapts: where
// memory that is not touched costs nothing, it can be generous.
#ifndef LATIMER_ANY_PROFILE_H_
#define LATIMER_ANY_PROFILE_H_

#include <cstdint>

#include "latimer/profile.h"

namespace latimer {

// Shapes up to d_model 1536, 1024 in attention, with 262,144 pieces and so many
// layers. `name` must outlive the result.
constexpr Profile AnyProfile(const char* name, uint32_t encoder_layers,
                             uint32_t decoder_layers) {
  return {
      .name = name,
      .d_model = 1536,
      .d_ffn = 8192,
      .attention_width = 1024,
      .heads = 16,
      .encoder_layers = encoder_layers,
      .decoder_layers = decoder_layers,
      .source_vocabulary = 262144,
      .target_vocabulary = 262144,
      .source_tokens = 1024,
      .target_tokens = 1024,
      .text_bytes = 65536,
      .threads = 16,
      .lanes = 32,
      .beams = 16,
      .beam_tokens = 64,
      .phrases = true,
      .sampling = true,
      .f16_caches = false,
      .copied_image_bytes = 0,
      .int8_weights = true,
      .f32_weights = true,
      .f32_fma = true,
      .tokenizer = true,
      .unigram = true,
      .bpe = true,
      .words = true,
      .metaspace = true,
      .byte_bpe = true,
      .bytes = true,
      .bpe_unused_pieces = 32768,
      .decoder_self_attention = true,
      .decoder_ssru = true,
      .decoder_gru = true,
      .shortlist = true,
      .rms_norm = true,
      .gated_ffn = true,
      .relative_attention = true,
      .pruned_argmax = true,
      .int4_weights = true,
      .f16_weights = true,
      .attention_weights = 1u << 20,
      .token_scores = true,
      .alignment = true,
  };
}

}  // namespace latimer

#endif  // LATIMER_ANY_PROFILE_H_
