// Profile of the demo model with f32 weights that gives every CPU the same
// bits, with several lanes.
#ifndef LATIMER_TESTS_DATA_F32_WITHOUT_FMA_PROFILE_H_
#define LATIMER_TESTS_DATA_F32_WITHOUT_FMA_PROFILE_H_

#include "latimer/profile.h"

namespace latimer {

inline constexpr Profile kProfile = {
    .name = "f32_without_fma",
    .d_model = 256,
    .d_ffn = 1024,
    .attention_width = 256,
    .heads = 4,
    .encoder_layers = 4,
    .decoder_layers = 2,
    .source_vocabulary = 9712,
    .target_vocabulary = 9712,
    .source_tokens = 512,
    .target_tokens = 511,
    .text_bytes = 8192,
    .threads = 1,
    .lanes = 6,
    .copied_image_bytes = 0,
    .int8_weights = false,
    .f32_weights = true,
    .f32_fma = false,
    .tokenizer = true,
    .unigram = true,
    .bpe = false,
    .words = false,
    .metaspace = false,
    .byte_bpe = false,
    .bytes = false,
    .bpe_unused_pieces = 0,
    .decoder_self_attention = true,
    .decoder_ssru = false,
    .decoder_gru = false,
    .shortlist = false,
    .rms_norm = true,
    .gated_ffn = true,
    .relative_attention = true,
    .pruned_argmax = true,
    .int4_weights = false,
    .f16_weights = true,
    .attention_weights = 0,
    .token_scores = false,
};

}  // namespace latimer

#endif  // LATIMER_TESTS_DATA_F32_WITHOUT_FMA_PROFILE_H_
