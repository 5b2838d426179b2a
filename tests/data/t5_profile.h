// Profile of t5/gated_silu, written by latimer-convert --profile
// --max-source-tokens 60 --max-target-tokens 60.
#ifndef LATIMER_TESTS_DATA_T5_PROFILE_H_
#define LATIMER_TESTS_DATA_T5_PROFILE_H_

#include "latimer/profile.h"

namespace latimer {

inline constexpr Profile kProfile = {
    .name = "t5",
    .d_model = 24,
    .d_ffn = 90,
    .attention_width = 9,
    .heads = 1,
    .encoder_layers = 3,
    .decoder_layers = 1,
    .source_vocabulary = 64,
    .target_vocabulary = 64,
    .source_tokens = 60,
    .target_tokens = 60,
    .text_bytes = 1024,
    .threads = 1,
    .lanes = 1,
    .copied_image_bytes = 0,
    .int8_weights = true,
    .f32_weights = false,
    .f32_fma = true,
    .tokenizer = false,
    .unigram = false,
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
    .pruned_argmax = false,
    .int4_weights = false,
    .f16_weights = false,
    .attention_weights = 0,
    .token_scores = false,
};

}  // namespace latimer

#endif  // LATIMER_TESTS_DATA_T5_PROFILE_H_
